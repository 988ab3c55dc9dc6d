#include "views/source/source_view.h"

#include <QFile>
#include <QFileInfo>
#include <QSplitter>
#include <QVBoxLayout>

#include "views/shared/data_table.h"
#include "views/shared/numbers.h"

namespace retracescope::views {

namespace {

constexpr int kWidestPlace = 250; ///< of a line in the list of places

constexpr qint64 kLargestSource = 8'000'000; // bytes; no source text is larger

} // namespace

SourceView::SourceView(ViewState& state, QWidget* parent)
    : View(state, QStringLiteral("source"), tr("Source"), parent), m_stack(new QListWidget),
      m_stackCaption(makeLabel({}, "caption")), m_fileTitle(makeLabel({}, "codestrong")),
      m_fileCaption(makeLabel({}, "caption")), m_code(new CodeView(state)), m_missing(new MessagePanel),
      m_text(new QStackedWidget), m_pages(new QStackedWidget), m_empty(new EmptyPanel(state, id())),
      m_job(state.jobs()) {
    m_text->addWidget(m_code);
    m_text->addWidget(m_missing);
    m_code->setAccessibleName(tr("Source text"));
    auto* right = new QWidget;
    auto* rightLayout = new QVBoxLayout(right);
    rightLayout->setContentsMargins(0, 0, 0, 0);
    rightLayout->setSpacing(0);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(12, 9, 12, 9);
    head->setSpacing(12);
    head->addWidget(m_fileTitle);
    head->addWidget(m_fileCaption, 1);
    rightLayout->addLayout(head);
    rightLayout->addWidget(makeRule());
    rightLayout->addWidget(m_text, 1);
    QWidget* stack = makeStack();
    m_pages->addWidget(makeSplit(stack, right, stack, 280));
    m_pages->addWidget(m_empty);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_pages);
    connect(&state, &ViewState::diagnosisChanged, this, &SourceView::onSelectionChanged);
    connect(&state, &ViewState::selectionChanged, this, &SourceView::onSelectionChanged);
    connect(&state, &ViewState::placeRequested, this, &SourceView::onPlace);
    connect(m_stack, &QListWidget::currentRowChanged, this, &SourceView::showPlace);
    connect(m_missing, &MessagePanel::actionTriggered, this, &SourceView::readFromDisk);
    onSelectionChanged();
}

QWidget* SourceView::makeStack() {
    m_stack->setProperty("frame", "none");
    m_stack->setAccessibleName(tr("Call stack"));
    m_stack->setSpacing(0);
    m_stack->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* side = new QWidget;
    side->setProperty("surface", "view");
    side->setMinimumWidth(200);
    auto* layout = new QVBoxLayout(side);
    layout->setContentsMargins(0, 9, 0, 0);
    layout->setSpacing(8);
    m_stackCaption->setContentsMargins(12, 0, 12, 0);
    m_stackCaption->setWordWrap(true);
    layout->addWidget(m_stackCaption);
    layout->addWidget(m_stack, 1);
    return side;
}

void SourceView::onSelectionChanged() {
    const session::Session* session = state().session();
    const session::FunctionId function = state().shownFunction();
    if (session == nullptr || !function.isValid()) {
        m_empty->setMissing(tr("This file names no source lines."));
        m_pages->setCurrentIndex(1);
        return;
    }
    m_pages->setCurrentIndex(0);
    const Selection& selection = state().selection();
    session::StackId stack;
    if (selection.miss.isValid())
        stack = (*session)[selection.miss].stack;
    else if (selection.call.isValid())
        stack = session->calls.stack[selection.call.value];
    m_places = placesOf(*session, function, stack);
    const QString name = toQString(session->text((*session)[function].name));
    if (stack.isValid())
        m_stackCaption->setText(selection.miss.isValid() ? tr("Call stack at the trace of %1").arg(name)
                                                         : tr("Call stack of the call of %1").arg(name));
    else if (selection.call.isValid() || selection.miss.isValid())
        m_stackCaption->setText(tr("The call stack was not recorded."));
    else
        m_stackCaption->setText(tr("Select a call to see its stack."));
    fillStack();
    if (m_places.empty()) {
        m_fileTitle->setText(name);
        m_fileCaption->clear();
        m_missing->setMessage(tr("Where %1 is defined was not recorded.").arg(name));
        m_text->setCurrentIndex(1);
        return;
    }
    showPlace(0);
}

void SourceView::fillStack() {
    const QSignalBlocker blocker(m_stack);
    m_stack->clear();
    for (const SourcePlace& place : m_places) {
        const QString where = placeText(place.file, place.line);
        const QFontMetrics metrics(m_stack->font());
        auto* item = new QListWidgetItem(
            QStringLiteral("%1\n%2").arg(metrics.elidedText(place.role, Qt::ElideMiddle, kWidestPlace),
                                         metrics.elidedText(where, Qt::ElideMiddle, kWidestPlace)));
        item->setToolTip(QStringLiteral("%1\n%2").arg(place.role, where));
        m_stack->addItem(item);
    }
    m_stack->setCurrentRow(0);
}

/// A line that was looked for, above the places of the selection, until another one is selected.
void SourceView::onPlace(const QString& file, std::uint32_t line) {
    onSelectionChanged();
    m_places.insert(m_places.begin(), SourcePlace{tr("Found here"), file.toStdString(), line});
    m_pages->setCurrentIndex(0);
    fillStack();
    showPlace(0);
}

void SourceView::showPlace(int row) {
    if (row < 0 || row >= static_cast<int>(m_places.size()))
        return;
    const SourcePlace& place = m_places[static_cast<std::size_t>(row)];
    const session::Session& session = *state().session();
    m_fileTitle->setText(placeText(place.file, place.line));
    m_fileTitle->setToolTip(toQString(place.file));
    const session::Source* source = findSource(session, place.file);
    if (source == nullptr) {
        m_fileCaption->clear();
        m_missing->setMessage(
            tr("Source not kept."),
            tr("The session names %1 but does not hold its text.").arg(placeText(place.file, place.line)),
            QFileInfo(toQString(place.file)).isFile() ? tr("Read %1 from disk").arg(placeText(place.file, 0))
                                                      : QString());
        m_text->setCurrentIndex(1);
        return;
    }
    showText(place, toQString(session.text(source->text)), tr("as it was when it was recorded"));
}

void SourceView::showText(const SourcePlace& place, const QString& text, const QString& caption) {
    const session::FunctionId function = state().shownFunction();
    m_fileCaption->setText(function.isValid()
                               ? tr("%1; marks are those of %2")
                                     .arg(caption, toQString(state().diagnosis()->names[function.value]))
                               : caption);
    m_code->setText(text);
    m_job.drop();
    if (function.isValid())
        m_job.run(
            tr("Reading the marks of %1").arg(placeText(place.file, 0)),
            [diagnosis = state().diagnosis(), file = place.file, function, entry = state().selection().entry](
                const Job& job) { return factsOfFile(*diagnosis, file, function, entry, job); },
            [this](std::map<std::uint32_t, LineFacts> facts) { m_code->setFacts(std::move(facts)); });
    m_code->showLine(place.line);
    m_text->setCurrentIndex(0);
}

void SourceView::readFromDisk() {
    const SourcePlace place = m_places[static_cast<std::size_t>(m_stack->currentRow())];
    QFile file(toQString(place.file));
    if (!file.open(QIODevice::ReadOnly) || file.size() > kLargestSource) {
        m_missing->setMessage(tr("Cannot read %1.").arg(placeText(place.file, 0)), file.errorString());
        return;
    }
    showText(place, QString::fromUtf8(file.readAll()),
             tr("read from disk now, it may have changed since it was recorded"));
}

} // namespace retracescope::views
