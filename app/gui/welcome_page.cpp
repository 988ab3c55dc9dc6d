#include "app/gui/welcome_page.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLabel>
#include <QScrollArea>

#include <retracescope/base/example_programs.h>

#include "app/gui/welcome_card.h"
#include "views/shared/icons.h"
#include "views/shared/widgets.h"

namespace retracescope::gui {

using views::makeLabel;

namespace {

constexpr int kThreeColumns = 1200; ///< of the page: fewer, and two stand above one another

/// The mark of the program: three hits above one trace.
class Mark : public QWidget {
public:
    explicit Mark(views::ViewState& state) : m_state(state) {
        setFixedSize(38, 46);
        connect(&state, &views::ViewState::themeChanged, this, [this] { update(); });
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_state.theme().hit.fill);
        for (const int x : {5, 16, 27})
            painter.drawRect(x, 1, 5, 8);
        painter.setBrush(m_state.theme().miss.fill);
        painter.drawPolygon(QPolygonF({{1, 13}, {37, 13}, {19, 45}}));
    }

private:
    views::ViewState& m_state;
};

/// Commands with what they do, as typed in a terminal.
QWidget* makeTerminalLines() {
    QFrame* frame = views::makeCard();
    auto* grid = new QGridLayout(frame);
    grid->setContentsMargins(12, 9, 12, 9);
    grid->setVerticalSpacing(6);
    int row = 0;
    for (const auto& [command, what] :
         {std::pair{QStringLiteral("rscope example --list"), WelcomePage::tr("what there is to learn")},
          std::pair{QStringLiteral("rscope explain run.retrace"), WelcomePage::tr("why each call traced")},
          std::pair{QStringLiteral("retracescope run.retrace"), WelcomePage::tr("opens it here")}}) {
        QLabel* code = makeLabel(command, "code");
        code->setTextInteractionFlags(Qt::TextSelectableByMouse);
        grid->addWidget(code, row, 0);
        grid->addWidget(makeLabel(what, "caption"), row++, 1, Qt::AlignRight);
    }
    return frame;
}

} // namespace

WelcomePage::WelcomePage(views::ViewState& state, QWidget* parent)
    : QWidget(parent), m_state(state), m_columns(new QBoxLayout(QBoxLayout::LeftToRight)),
      m_recentList(new QVBoxLayout) {
    setObjectName(QStringLiteral("welcome"));
    setFocusPolicy(Qt::StrongFocus);
    auto* content = new QWidget;
    content->setProperty("surface", "view");
    auto* columns = new QHBoxLayout(content);
    columns->setContentsMargins(32, 28, 32, 24);
    columns->setSpacing(36);
    columns->addWidget(makeActions(), 26);
    m_columns->setSpacing(36);
    m_columns->addWidget(makeRecent(), 1);
    m_columns->addWidget(makeLessons(), 1);
    columns->addLayout(m_columns, 68);
    auto* scroll = new QScrollArea;
    scroll->setWidget(content);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(scroll);
    refresh();
}

/// Side by side where names of sessions have room for it.
void WelcomePage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const bool wide = width() >= kThreeColumns;
    m_columns->setDirection(wide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    m_columns->setStretch(0, wide ? 1 : 0);
}

QWidget* WelcomePage::makeActions() {
    auto* column = new QWidget;
    auto* layout = new QVBoxLayout(column);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(12);
    auto* head = new QHBoxLayout;
    head->setSpacing(14);
    head->addWidget(new Mark(m_state));
    head->addWidget(makeLabel(tr("Retracescope"), "headline"), 1);
    layout->addLayout(head);
    QLabel* what = makeLabel(
        tr("See why traced functions retrace, what that costs, and the smallest edit that stops it."),
        "subline");
    what->setWordWrap(true);
    layout->addWidget(what);
    layout->addSpacing(10);
    auto* open = new ActionCard(m_state, QStringLiteral("open"), tr("Open a session or trace file…"),
                                tr(".retrace, Chrome and Kineto JSON, GraphDef"), tr("Ctrl+O"), false);
    open->setObjectName(QStringLiteral("openCard"));
    auto* example =
        new ActionCard(m_state, QStringLiteral("bulb"), tr("Open the example"),
                       tr("runs the first lesson live and shows why it traces"), tr("Ctrl+Shift+E"), true);
    example->setObjectName(QStringLiteral("exampleCard"));
    connect(open, &QAbstractButton::clicked, this, &WelcomePage::openRequested);
    connect(example, &QAbstractButton::clicked, this, [this] { Q_EMIT exampleRequested({}); });
    layout->addWidget(open);
    layout->addWidget(example);
    auto* drop = new QFrame;
    drop->setProperty("drop", true);
    drop->setMinimumHeight(104);
    auto* dropLayout = new QVBoxLayout(drop);
    dropLayout->setAlignment(Qt::AlignCenter);
    QLabel* dropTitle = makeLabel(tr("Drop files here"), "strong");
    QLabel* dropDetail = makeLabel(tr("the first opens, the others go to the recent list"), "caption");
    for (QLabel* label : {dropTitle, dropDetail}) {
        label->setAlignment(Qt::AlignCenter);
        dropLayout->addWidget(label);
    }
    layout->addSpacing(4);
    layout->addWidget(drop);
    layout->addSpacing(10);
    layout->addWidget(makeLabel(tr("From a terminal"), "strong"));
    layout->addWidget(makeTerminalLines());
    layout->addSpacing(4);
    layout->addWidget(makeLabel(tr("Works offline. Nothing leaves this computer."), "caption"));
    layout->addStretch();
    return column;
}

QWidget* WelcomePage::makeRecent() {
    auto* column = new QWidget;
    auto* layout = new QVBoxLayout(column);
    layout->setContentsMargins(0, 8, 0, 0);
    layout->setSpacing(8);
    auto* head = new QHBoxLayout;
    head->addWidget(makeLabel(tr("Recent sessions"), "title"));
    head->addStretch();
    m_clear = new views::Link(tr("Clear list"));
    connect(m_clear, &QPushButton::clicked, this, [this] {
        clearRecentSessions();
        refresh();
    });
    head->addWidget(m_clear);
    layout->addLayout(head);
    m_recentList->setSpacing(6);
    layout->addLayout(m_recentList);
    layout->addStretch();
    return column;
}

QWidget* WelcomePage::makeLessons() {
    auto* column = new QWidget;
    auto* layout = new QVBoxLayout(column);
    layout->setContentsMargins(0, 8, 0, 0);
    layout->setSpacing(12);
    layout->addWidget(makeLabel(tr("Lessons"), "title"));
    const auto examples = readExamples(examplesFolder());
    const QString intro = examples ? tr("Small programs of one idea each. A click runs one live under the "
                                        "recorder and opens what it did.")
                                   : QString::fromStdString(examples.error().message);
    QLabel* introLabel = makeLabel(intro, "muted");
    introLabel->setWordWrap(true);
    layout->addWidget(introLabel);
    if (examples) {
        QFrame* card = views::makeCard();
        auto* rows = new QVBoxLayout(card);
        rows->setContentsMargins(16, 12, 16, 12);
        rows->setSpacing(9);
        for (const ExampleProgram& example : *examples) {
            if (rows->count() > 0)
                rows->addWidget(views::makeRule());
            const QString name = QString::fromStdString(example.name);
            auto* link = new views::Link(name);
            link->setObjectName(QStringLiteral("lesson_") + name);
            connect(link, &QPushButton::clicked, this, [this, name] { Q_EMIT exampleRequested(name); });
            QLabel* what = makeLabel(QString::fromStdString(example.description), "caption");
            what->setWordWrap(true);
            rows->addWidget(link, 0, Qt::AlignLeft);
            rows->addWidget(what);
        }
        layout->addWidget(card);
    }
    layout->addStretch();
    return column;
}

void WelcomePage::refresh() {
    views::clearLayout(m_recentList);
    m_recent = recentSessions();
    m_clear->setVisible(!m_recent.empty());
    if (m_recent.empty()) {
        QLabel* none =
            makeLabel(tr("No session was opened yet. Open the example to see how one looks."), "muted");
        none->setWordWrap(true);
        m_recentList->addWidget(none);
        return;
    }
    for (std::size_t i = 0; i < m_recent.size(); ++i) {
        auto* card = new RecentCard(m_state, static_cast<int>(i) + 1, m_recent[i]);
        connect(card, &QAbstractButton::clicked, this, [this, i] { choose(static_cast<int>(i)); });
        connect(card, &RecentCard::locateRequested, this, [this, i] { locate(m_recent[i]); });
        connect(card, &RecentCard::removeRequested, this, [this, path = m_recent[i].path] {
            removeRecentSession(path);
            refresh();
        });
        m_recentList->addWidget(card);
    }
    m_recentList->addWidget(makeLabel(tr("Press 1 to 9 to open. Right-click to remove."), "caption"));
}

void WelcomePage::choose(int number) {
    const RecentSession session = m_recent[static_cast<std::size_t>(number)];
    if (session.exists())
        Q_EMIT fileRequested(session.path);
    else
        locate(session);
}

void WelcomePage::locate(const RecentSession& session) {
    const QString path =
        QFileDialog::getOpenFileName(this, tr("Locate %1").arg(QFileInfo(session.path).fileName()));
    if (path.isEmpty())
        return;
    removeRecentSession(session.path);
    Q_EMIT fileRequested(path);
}

void WelcomePage::keyPressEvent(QKeyEvent* event) {
    const int number = event->key() - Qt::Key_1;
    if (number >= 0 && static_cast<std::size_t>(number) < m_recent.size() &&
        event->modifiers() == Qt::NoModifier)
        choose(number);
    else
        QWidget::keyPressEvent(event);
}

void WelcomePage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    setFocus(Qt::OtherFocusReason);
}

} // namespace retracescope::gui
