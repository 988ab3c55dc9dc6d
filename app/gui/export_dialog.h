#pragma once

#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QPlainTextEdit>
#include <QStackedWidget>
#include <QTextBrowser>

#include <retracescope/base/result.h>
#include <retracescope/diagnose/overview.h>

#include "views/shared/view_state.h"

namespace retracescope::gui {

enum class ReportFormat { Markdown, Html, Json };

/// Export report (Ctrl+E): choose a form, see it, copy or save it. The text is made off the GUI thread.
class ExportDialog : public QDialog {
    Q_OBJECT

public:
    ExportDialog(views::ViewState& state, const QString& sessionPath, QWidget* parent);

    ReportFormat format() const;
    const QString& text() const { return m_text; }

    /// Writes the shown report; the error is one sentence.
    Status saveTo(const QString& path) const;

private:
    void render();
    void showText(const QString& text);
    void chooseFile();

    views::ViewState& m_state;
    QString m_sessionPath;
    QComboBox* m_format;
    QPlainTextEdit* m_plain;
    QTextBrowser* m_rich;
    QStackedWidget* m_preview;
    QPushButton* m_copy;
    QPushButton* m_save;
    QLabel* m_error;
    QString m_text;
};

} // namespace retracescope::gui
