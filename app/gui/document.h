#pragma once

#include <filesystem>
#include <functional>

#include <QObject>

#include <retracescope/base/result.h>

#include "views/shared/view_state.h"

namespace retracescope::gui {

/// The file that is open: reads and diagnoses it off the GUI thread, then gives it to the ViewState. While a
/// file is being opened, what was open stays; it also stays if opening fails or is cancelled.
class Document : public QObject {
    Q_OBJECT

public:
    /// Reads one file; openAny in the program.
    using Opener = std::function<Result<session::SessionPtr>(const std::filesystem::path&, const Job&)>;

    Document(views::ViewState& state, Opener opener, QObject* parent = nullptr);

    void open(const QString& path); ///< gives up a file that is still being opened
    void cancelOpening();           ///< what was open stays
    void close();

    bool isOpening() const { return m_job != 0; }
    bool isOpen() const { return !m_path.isEmpty(); }
    const QString& path() const { return m_path; }
    QString name() const; ///< file name; empty if none is open

Q_SIGNALS:
    void opened();
    void closed();
    void failed(const QString& path, const QString& sentence);
    void openingBegan();
    void openingEnded(); ///< opened, failed or cancelled

private:
    struct Outcome {
        diagnose::DiagnosisPtr diagnosis;
        QString error;
    };

    void finish(const QString& path, Outcome outcome);
    void onJobsChanged();

    views::ViewState& m_state;
    Opener m_opener;
    QString m_path;
    int m_job = 0; ///< id of the running job; 0 = none
};

} // namespace retracescope::gui
