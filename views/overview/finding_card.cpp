#include "views/overview/finding_card.h"

#include <algorithm>
#include <array>
#include <set>

#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <QPainter>
#include <QVBoxLayout>

#include "views/models/findings_model.h"
#include "views/shared/numbers.h"

namespace retracescope::views {

namespace {

constexpr int kDiffRows = 5;
constexpr int kBarWidth = 5;
constexpr int kAxis = 36; ///< height of the bars

/// What traces were for, from the foot of a bar up.
constexpr std::array kStacked{TimeUse::Avoidable, TimeUse::Needed, TimeUse::Failed};

} // namespace

Sparkline::Sparkline(ViewState& state, const diagnose::Finding& finding, QWidget* parent)
    : QWidget(parent), m_state(state) {
    const session::Session& session = *state.session();
    const std::set<session::MissId> avoidable(finding.avoidable.begin(), finding.avoidable.end());
    std::array<std::int64_t, kTimeUses> counts{};
    for (const session::MissId miss : finding.misses) {
        if (session[miss].withdrawn)
            continue; // it counts with the one after it, as in the sentence above
        const TimeUse use = avoidable.contains(miss) ? TimeUse::Avoidable : useOfNeeded(session, miss);
        m_traces.push_back({session[miss].timeNs - session.originNs, use});
        ++counts[static_cast<std::size_t>(use)];
    }
    QStringList told;
    for (const TimeUse use : kStacked) {
        const std::int64_t count = counts[static_cast<std::size_t>(use)];
        if (count == 0)
            continue;
        m_legend.push_back({use, tr("%1 %2").arg(countText(count), traceUseName(use))});
        told += m_legend.back().text;
    }
    m_lengthNs = std::max<std::int64_t>(1, session.endNs - session.originNs);
    setFixedHeight(sizeHint().height());
    setAccessibleName(tr("Traces over time: %1").arg(told.join(QStringLiteral(", "))));
    connect(&state, &ViewState::themeChanged, this, [this] { update(); });
}

void Sparkline::paintEvent(QPaintEvent*) {
    const Theme& theme = m_state.theme();
    const auto bins = static_cast<std::size_t>(std::max(1, width() / kBarWidth));
    struct Bin {
        std::array<int, kTimeUses> counts{};
        int total = 0;
    };
    std::vector<Bin> all(bins);
    int tallest = 1;
    for (const Trace& trace : m_traces) {
        const double share =
            std::clamp(static_cast<double>(trace.timeNs) / static_cast<double>(m_lengthNs), 0.0, 1.0);
        Bin& bin = all[std::min(bins - 1, static_cast<std::size_t>(share * static_cast<double>(bins)))];
        ++bin.counts[static_cast<std::size_t>(trace.use)];
        tallest = std::max(tallest, ++bin.total);
    }
    QPainter painter(this);
    painter.setFont(textFont(TextSize::Axis));
    painter.setPen(theme.muted);
    painter.drawText(rect(), Qt::AlignRight | Qt::AlignTop,
                     tr("traces over time, tallest bar %1").arg(tallest));
    for (std::size_t i = 0; i < bins; ++i) {
        if (all[i].total == 0)
            continue;
        int height = std::max(static_cast<int>(kStacked.size()), (kAxis - 14) * all[i].total / tallest);
        int rest = all[i].total;
        int bottom = kAxis;
        for (const TimeUse use : kStacked) { // what occurs has a pixel at least
            const int count = all[i].counts[static_cast<std::size_t>(use)];
            if (count == 0)
                continue;
            const int part = count == rest ? height : std::clamp(height * count / rest, 1, height - 1);
            painter.fillRect(QRect(static_cast<int>(i) * kBarWidth, bottom - part, kBarWidth - 1, part),
                             brushOf(use, theme));
            bottom -= part;
            height -= part;
            rest -= count;
        }
    }
    painter.fillRect(QRect(0, kAxis, width(), 1), theme.line2);
    painter.setPen(theme.muted);
    const QRect axis(0, kAxis + 2, width(), 14);
    painter.drawText(axis, Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("0"));
    painter.drawText(axis, Qt::AlignRight | Qt::AlignVCenter, durationText(m_lengthNs));
    paintUses(
        painter,
        QPoint((width() - widthOf(m_legend, painter.fontMetrics())) / 2, axis.top() + axis.height() / 2),
        m_legend, theme);
}

namespace {

QString editSentences(const diagnose::Finding& finding) {
    QString text = toQString(finding.edit.sentence);
    for (const diagnose::Edit& edit : finding.also)
        text += QLatin1Char('\n') + FindingCard::tr("And: %1").arg(toQString(edit.sentence));
    return text;
}

} // namespace

FindingCard::FindingCard(ViewState& state, int rank, const diagnose::Finding& finding, QWidget* parent)
    : QFrame(parent), m_state(state), m_editText(editText(finding)), m_avoidable(finding.avoidableNs > 0),
      m_sentence(makeLabel(editSentences(finding))),
      m_copy(makeButton(tr("Copy edit"), QStringLiteral("copy"))) {
    setProperty("card", true);
    setFocusPolicy(Qt::StrongFocus);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 12, 14, 12);
    layout->setSpacing(6);
    layout->addLayout(makeHead(rank, finding));
    QLabel* title = makeLabel(toQString(finding.title), "strong");
    title->setWordWrap(true);
    const session::Session& session = *state.session();
    QLabel* detail = makeLabel(findingCounts(finding), "muted");
    detail->setWordWrap(true);
    layout->addWidget(title);
    layout->addWidget(detail);
    layout->addSpacing(2);
    layout->addWidget(new Sparkline(state, finding));
    m_sentence->setWordWrap(true);
    layout->addWidget(m_sentence);
    const session::Function& function = session[finding.function];
    if (!finding.edit.lines.empty()) {
        m_diff = new DiffView(state);
        m_diff->setMostRows(kDiffRows);
        const QString own = placeText(finding.edit.file, finding.edit.line);
        m_diff->setEdit(finding.edit,
                        own.isEmpty() ? placeText(session.text(function.file), function.line) : own);
        layout->addWidget(m_diff);
    }
    layout->addStretch();
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    buttons->addStretch();
    auto* evidence = makeButton(tr("Evidence"), QStringLiteral("table"));
    connect(evidence, &QPushButton::clicked, this, &FindingCard::evidenceRequested);
    connect(m_copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(m_editText); });
    if (!finding.edit.exists())
        m_copy->hide();
    buttons->addWidget(evidence);
    buttons->addWidget(m_copy);
    layout->addLayout(buttons);
    setAccessibleName(
        tr("Finding %1: %2, %3. %4")
            .arg(rank)
            .arg(toQString(finding.name), durationText(finding.avoidableNs), toQString(finding.title)));
    connect(&state, &ViewState::themeChanged, this, [this] { update(); });
}

QLayout* FindingCard::makeHead(int rank, const diagnose::Finding& finding) {
    const session::Session& session = *m_state.session();
    const session::Function& function = session[finding.function];
    auto* head = new QHBoxLayout;
    head->setSpacing(10);
    QLabel* badge = makeLabel(QString::number(rank), "badge");
    badge->setFixedSize(24, 24);
    badge->setAlignment(Qt::AlignCenter);
    head->addWidget(badge, 0, Qt::AlignTop);
    auto* names = new QVBoxLayout;
    names->setSpacing(2);
    names->addWidget(new ElidedLabel(toQString(finding.name), "codestrong"));
    const QString place = placeText(session.text(function.file), function.line);
    if (!place.isEmpty()) {
        auto* link = new Link(place);
        connect(link, &QPushButton::clicked, this, [this, id = finding.function] {
            m_state.selectFunction(id);
            m_state.requestView(QStringLiteral("source"));
        });
        names->addWidget(link, 0, Qt::AlignLeft); // else its width bounds the name above it
    }
    head->addLayout(names, 1);
    auto* cost = new QVBoxLayout;
    cost->setSpacing(0);
    const bool avoidable = finding.avoidableNs > 0;
    QLabel* time = makeLabel(durationText(avoidable ? finding.avoidableNs : finding.costNs),
                             avoidable ? "missbig" : "title");
    QLabel* word = makeLabel(avoidable ? tr("avoidable") : tr("spent, stays"), "caption");
    for (QLabel* label : {time, word}) {
        label->setAlignment(Qt::AlignRight);
        cost->addWidget(label);
    }
    head->addLayout(cost);
    return head;
}

void FindingCard::setCompact(bool compact) {
    if (m_diff != nullptr)
        m_diff->setVisible(!compact);
}

void FindingCard::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        Q_EMIT evidenceRequested();
    else
        QFrame::keyPressEvent(event);
}

void FindingCard::paintEvent(QPaintEvent* event) {
    QFrame::paintEvent(event);
    QPainter painter(this);
    painter.fillRect(QRect(0, 6, 4, height() - 12),
                     m_avoidable ? m_state.theme().miss.fill : m_state.theme().expected.fill);
}

} // namespace retracescope::views
