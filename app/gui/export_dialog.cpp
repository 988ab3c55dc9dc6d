#include "app/gui/export_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QVBoxLayout>

#include <retracescope/base/files.h>
#include <retracescope/report/html_report.h>
#include <retracescope/report/json_answers.h>
#include <retracescope/report/markdown_report.h>

#include "views/shared/numbers.h"
#include "views/shared/widgets.h"

namespace retracescope::gui {

namespace {

std::string makeReport(const diagnose::Diagnosis& diagnosis, ReportFormat format) {
    switch (format) {
    case ReportFormat::Markdown:
        return report::markdownReport(diagnosis);
    case ReportFormat::Html:
        return report::htmlReport(diagnosis);
    case ReportFormat::Json:
        return report::reportJson(diagnosis);
    }
    return {};
}

} // namespace

ExportDialog::ExportDialog(views::ViewState& state, const QString& sessionPath, QWidget* parent)
    : QDialog(parent), m_state(state), m_sessionPath(sessionPath), m_format(new QComboBox),
      m_plain(new QPlainTextEdit), m_rich(new QTextBrowser), m_preview(new QStackedWidget),
      m_copy(views::makeButton(tr("Copy"), QStringLiteral("copy"))),
      m_save(views::makeButton(tr("Save…"), QStringLiteral("export"), true)),
      m_error(views::makeLabel({}, "error")) {
    setObjectName(QStringLiteral("exportDialog"));
    setWindowTitle(tr("Export report"));
    m_format->addItems({tr("Markdown, for a ticket"), tr("HTML, one page"), tr("JSON, for programs")});
    m_format->setAccessibleName(tr("Form of the report"));
    m_format->setMinimumWidth(200);
    m_plain->setReadOnly(true);
    m_plain->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_plain->setFont(views::codeFont(views::TextSize::Body));
    m_plain->setAccessibleName(tr("Preview"));
    m_rich->setOpenLinks(false);
    m_rich->setAccessibleName(tr("Preview"));
    m_preview->addWidget(m_plain);
    m_preview->addWidget(m_rich);
    m_error->hide();
    auto* top = new QHBoxLayout;
    top->addWidget(views::makeLabel(tr("Form"), "muted"));
    top->addWidget(m_format);
    top->addStretch();
    auto* close = views::makeButton(tr("Close"), {});
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_error, 1);
    buttons->addStretch();
    for (QPushButton* button : {close, m_copy, m_save})
        buttons->addWidget(button);
    m_save->setDefault(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(views::kMargin, views::kMargin, views::kMargin, views::kMargin);
    layout->setSpacing(views::kGap);
    layout->addLayout(top);
    layout->addWidget(m_preview, 1);
    layout->addLayout(buttons);
    resize(900, 680);
    connect(m_format, &QComboBox::currentIndexChanged, this, &ExportDialog::render);
    connect(close, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(m_text); });
    connect(m_save, &QPushButton::clicked, this, &ExportDialog::chooseFile);
    render();
}

ReportFormat ExportDialog::format() const {
    return static_cast<ReportFormat>(m_format->currentIndex());
}

void ExportDialog::render() {
    m_text.clear();
    m_copy->setEnabled(false);
    m_save->setEnabled(false);
    m_plain->setPlainText(tr("The report is being written."));
    m_preview->setCurrentIndex(0);
    const ReportFormat wanted = format();
    m_state.jobs().run(
        tr("Writing the report"), this,
        [diagnosis = m_state.diagnosis(), wanted](const Job&) { return makeReport(*diagnosis, wanted); },
        [this, wanted](const std::string& text) {
            if (wanted == format())
                showText(views::toQString(text));
        });
}

void ExportDialog::showText(const QString& text) {
    m_text = text;
    m_copy->setEnabled(true);
    m_save->setEnabled(true);
    if (format() == ReportFormat::Html)
        m_rich->setHtml(text);
    else
        m_plain->setPlainText(text);
    m_preview->setCurrentIndex(format() == ReportFormat::Html ? 1 : 0);
}

Status ExportDialog::saveTo(const QString& path) const {
    return writeTextFile(std::filesystem::path(path.toStdString()), m_text.toStdString());
}

void ExportDialog::chooseFile() {
    const std::array<QString, 3> endings{QStringLiteral("md"), QStringLiteral("html"),
                                         QStringLiteral("json")};
    const QString ending = endings[static_cast<std::size_t>(format())];
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Save the report"),
                                     QStringLiteral("%1/%2-report.%3")
                                         .arg(QFileInfo(m_sessionPath).absolutePath(),
                                              QFileInfo(m_sessionPath).completeBaseName(), ending),
                                     QStringLiteral("*.%1").arg(ending));
    if (path.isEmpty())
        return;
    const Status status = saveTo(path);
    m_error->setVisible(!status);
    if (status)
        accept();
    else
        m_error->setText(tr("Cannot write %1. Choose another place.").arg(path));
}

} // namespace retracescope::gui
