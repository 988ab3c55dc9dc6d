#pragma once

#include <QListWidget>
#include <QStackedWidget>

#include "views/shared/empty_panel.h"
#include "views/shared/latest_job.h"
#include "views/shared/view.h"
#include "views/shared/widgets.h"
#include "views/source/code_view.h"

namespace retracescope::views {

/// The user's program around the selection: the stack on the left, the file with its line marks on the right.
/// Says why, if the text was not kept.
class SourceView : public View {
    Q_OBJECT

public:
    explicit SourceView(ViewState& state, QWidget* parent = nullptr);

    bool isSettled() const override { return !m_job.isRunning(); }

    const CodeView& code() const { return *m_code; }

private:
    QWidget* makeStack();
    void onSelectionChanged();
    void onPlace(const QString& file, std::uint32_t line);
    void fillStack();
    void showPlace(int row);
    void showText(const SourcePlace& place, const QString& text, const QString& caption);
    void readFromDisk();

    QListWidget* m_stack;
    QLabel* m_stackCaption;
    QLabel* m_fileTitle;
    QLabel* m_fileCaption;
    CodeView* m_code;
    MessagePanel* m_missing;
    QStackedWidget* m_text;
    QStackedWidget* m_pages;
    EmptyPanel* m_empty;
    std::vector<SourcePlace> m_places;
    LatestJob m_job; ///< reads the marks
};

} // namespace retracescope::views
