#include "views/findings/finding_page.h"

#include <algorithm>

#include <QApplication>
#include <QClipboard>
#include <QToolButton>

#include <retracescope/session/compared.h>

#include "views/models/comparison.h"
#include "views/models/findings_model.h"
#include "views/shared/icons.h"
#include "views/shared/numbers.h"

namespace retracescope::views {

namespace {

constexpr std::size_t kNearestShown = 3;
constexpr std::size_t kComponentsShown = 8; ///< columns of the evidence
constexpr std::size_t kCostsShown = 8;
constexpr int kWidestText = 860;
constexpr int kWidestPage = 1400; ///< so that a row is still one row to the eye
constexpr int kWidestPlace = 360;

/// An entry that a miss was compared with, and what kept it from serving.
struct Neighbour {
    session::EntryId entry;
    std::vector<types::Difference> differences;
};

/// The nearest entry first.
std::vector<Neighbour> neighbours(const session::Session& session, const diagnose::Explanation& explanation) {
    std::vector<Neighbour> result;
    for (const session::EntryId entry : explanation.compared) {
        if (result.size() < kNearestShown)
            result.push_back({entry, session::differencesTo(session, session[explanation.miss], entry)});
    }
    return result;
}

bool blocks(const Neighbour& neighbour, const std::string& path) {
    return std::ranges::find(neighbour.differences, path, &types::Difference::path) !=
           neighbour.differences.end();
}

} // namespace

FindingPage::FindingPage(ViewState& state, QWidget* parent) : QScrollArea(parent), m_state(state) {
    auto* content = new QWidget;
    content->setProperty("surface", "view");
    content->setMaximumWidth(kWidestPage);
    m_layout = new QVBoxLayout(content);
    m_layout->setContentsMargins(20, 16, 20, 16);
    m_layout->setSpacing(8);
    setWidget(content);
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

void FindingPage::show(const diagnose::Finding& finding, session::MissId miss) {
    m_finding = finding;
    const auto it = std::ranges::find(m_finding.misses, miss);
    m_position = it == m_finding.misses.end() ? 0 : static_cast<std::size_t>(it - m_finding.misses.begin());
    clearLayout(m_layout);
    addTitle();
    addEvidence();
    addEdit();
    addCosts();
    m_layout->addStretch();
    setAccessibleName(toQString(finding.title));
}

void FindingPage::addTitle() {
    QLabel* title = makeLabel(toQString(m_finding.title), "title");
    title->setWordWrap(true);
    m_layout->addWidget(title);
    auto* chips = new QHBoxLayout;
    chips->setSpacing(8);
    chips->addWidget(makeChip(toQString(m_finding.name)));
    chips->addWidget(makeChip(tr("cause: %1").arg(toQString(types::missKindName(m_finding.cause)))));
    if (!m_finding.path.empty())
        chips->addWidget(makeChip(toQString(m_finding.path)));
    if (m_finding.expected)
        chips->addWidget(makeLabel(tr("expected, not ranked"), "chip"));
    else if (m_finding.avoidableNs > 0)
        chips->addWidget(makeLabel(tr("%1 avoidable").arg(durationText(m_finding.avoidableNs)), "misschip"));
    else
        chips->addWidget(makeLabel(tr("%1 spent, stays").arg(durationText(m_finding.costNs)), "chip"));
    chips->addStretch();
    m_layout->addLayout(chips);
    const diagnose::Explanation& explanation = m_state.diagnosis()->explanations[miss().value];
    QString text = findingCounts(m_finding);
    text += (m_finding.traces == 1 ? tr(" It cost %1 of tracing.") : tr(" They cost %1 of tracing."))
                .arg(durationText(m_finding.costNs));
    if (m_finding.distinctValues > 1)
        text += tr(" The component took %1 in the function's requests.")
                    .arg(pluralText(m_finding.distinctValues, tr("value"), tr("values")));
    QLabel* detail = makeLabel(text + QLatin1Char('\n') + toQString(explanation.sentence));
    detail->setWordWrap(true);
    detail->setMaximumWidth(kWidestText);
    m_layout->addWidget(detail);
}

void FindingPage::addEvidence() {
    const session::Session& session = *m_state.session();
    const diagnose::Explanation& explanation = m_state.diagnosis()->explanations[miss().value];
    auto* head = new QHBoxLayout;
    head->addWidget(makeLabel(
        explanation.callNumber > 0
            ? tr("Evidence: call %1 against the nearest entries").arg(countText(explanation.callNumber))
            : tr("Evidence: the request against the nearest entries"),
        "strong"));
    head->addStretch();
    if (m_finding.misses.size() > 1) {
        const auto arrow = [&](const QString& icon, const QString& name, int by) {
            auto* button = new QToolButton;
            button->setIcon(views::icon(icon, IconTone::Accent));
            button->setAccessibleName(name);
            button->setToolTip(name);
            connect(button, &QToolButton::clicked, this, [this, by] { step(by); });
            head->addWidget(button);
        };
        arrow(QStringLiteral("back"), tr("Previous retrace"), -1);
        head->addWidget(
            makeLabel(tr("retrace %1 of %2").arg(m_position + 1).arg(m_finding.misses.size()), "muted"));
        arrow(QStringLiteral("forward"), tr("Next retrace"), 1);
    }
    m_layout->addSpacing(6);
    m_layout->addLayout(head);

    const std::vector<Neighbour> nearest = neighbours(session, explanation);
    m_evidence = new FactTable(m_state);
    m_evidence->setObjectName(QStringLiteral("evidence"));
    m_layout->addWidget(m_evidence);
    const session::Miss& row = session[miss()];
    std::vector<QString> titles{tr("Signature")};
    std::vector<std::vector<FactCell>> rows{{{tr("This call"), false, false, false, true}}};
    for (const Neighbour& neighbour : nearest)
        rows.push_back({{tr("Entry %1").arg(session[neighbour.entry].number)}});
    const auto compared =
        compareKeys(session, row.request,
                    nearest.empty() ? session::SignatureId() : session[nearest.front().entry].signature);
    const bool few = compared.size() <= kComponentsShown;
    int leftOut = 0;
    for (const ComparedComponent& component : compared) {
        const bool anyBlocks = std::ranges::any_of(
            nearest, [&](const Neighbour& neighbour) { return blocks(neighbour, component.path); });
        if (!few && !anyBlocks)
            continue;
        if (titles.size() > kComponentsShown) {
            ++leftOut;
            continue;
        }
        titles.push_back(argumentLabel(component.path));
        rows[0].push_back({component.request, false, true});
        for (std::size_t i = 0; i < nearest.size(); ++i) {
            const types::Component* stored =
                findComponent(session[session[nearest[i].entry].signature], component.path);
            const bool differs = blocks(nearest[i], component.path);
            rows[i + 1].push_back(
                {stored != nullptr ? componentText(*stored) : tr("none"), differs, true, !differs});
        }
    }
    titles.push_back(tr("Served"));
    rows[0].push_back({});
    for (std::size_t i = 0; i < nearest.size(); ++i)
        rows[i + 1].push_back(
            {pluralText(static_cast<std::int64_t>(
                            m_state.diagnosis()->index.callsOfEntry[nearest[i].entry.value].size()),
                        tr("call"), tr("calls")),
             false, false, true});
    std::vector<int> stretch(titles.size(), 1);
    m_evidence->setContent(std::move(titles), std::move(rows), std::move(stretch), true);
    if (nearest.empty())
        m_layout->addWidget(makeLabel(tr("There was no entry to compare with."), "muted"));
    else if (leftOut > 0)
        m_layout->addWidget(makeLabel(tr("Left out: %1 that also differ, which the signature table shows, "
                                         "and those that block none of these "
                                         "entries.")
                                          .arg(pluralText(leftOut, tr("component"), tr("components"))),
                                      "caption"));
    else if (!few)
        m_layout->addWidget(
            makeLabel(tr("Components that block none of these entries are left out."), "caption"));
    if (const QString exception = toQString(session.text(row.exception)); !exception.isEmpty()) {
        QLabel* failed = makeLabel(tr("The trace failed: %1").arg(exception), "error");
        failed->setWordWrap(true);
        m_layout->addWidget(failed);
    }
}

void FindingPage::addEdit() {
    if (!m_finding.edit.exists())
        return;
    const session::Session& session = *m_state.session();
    const session::Function& function = session[m_finding.function];
    const QString own = placeText(m_finding.edit.file, m_finding.edit.line);
    const QString place = own.isEmpty() ? placeText(session.text(function.file), function.line) : own;
    m_layout->addSpacing(6);
    auto* head = new QHBoxLayout;
    head->addWidget(makeLabel(tr("The edit"), "strong"));
    head->addStretch();
    if (!place.isEmpty()) {
        auto* link = new Link(place);
        link->setText(elidedWithToolTip(link, place, kWidestPlace));
        connect(link, &QPushButton::clicked, this, [this] {
            m_state.selectMiss(miss());
            m_state.requestView(QStringLiteral("source"));
        });
        head->addWidget(link);
    }
    m_layout->addLayout(head);
    addEditBody(m_finding.edit, toQString(m_finding.edit.sentence), place);
    for (const diagnose::Edit& edit : m_finding.also)
        addEditBody(edit, tr("And: %1").arg(toQString(edit.sentence)), placeText(edit.file, edit.line));
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    auto* copy = makeButton(tr("Copy edit"), QStringLiteral("copy"), true);
    copy->setObjectName(QStringLiteral("copyEdit"));
    connect(copy, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(editText(m_finding)); });
    auto* evidence = makeButton(tr("Copy evidence"), QStringLiteral("table"));
    connect(evidence, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(m_evidence->tabSeparated()); });
    auto* signatures = makeButton(tr("Signature table"), QStringLiteral("list"));
    connect(signatures, &QPushButton::clicked, this, [this] {
        m_state.selectMiss(miss());
        m_state.requestView(QStringLiteral("signatures"));
    });
    for (QPushButton* button : {copy, evidence, signatures})
        buttons->addWidget(button);
    buttons->addStretch();
    m_layout->addSpacing(4);
    m_layout->addLayout(buttons);
}

void FindingPage::addEditBody(const diagnose::Edit& edit, const QString& text, const QString& place) {
    QLabel* sentence = makeLabel(text);
    sentence->setWordWrap(true);
    sentence->setMaximumWidth(kWidestText);
    m_layout->addWidget(sentence);
    if (edit.lines.empty())
        return;
    auto* diff = new DiffView(m_state);
    diff->setEdit(edit, place);
    m_layout->addWidget(diff);
}

void FindingPage::addCosts() {
    const session::Session& session = *m_state.session();
    std::vector<session::MissId> dearest = m_finding.misses;
    std::ranges::stable_sort(dearest, std::greater{},
                             [&](session::MissId id) { return session[id].traceNs; });
    const std::size_t more = dearest.size() > kCostsShown ? dearest.size() - kCostsShown : 0;
    std::int64_t restNs = 0;
    for (std::size_t i = dearest.size() - more; i < dearest.size(); ++i)
        restNs += session[dearest[i]].traceNs;
    dearest.resize(dearest.size() - more);
    m_layout->addSpacing(8);
    m_layout->addWidget(
        makeLabel(tr("Where the %1 of tracing went").arg(durationText(m_finding.costNs)), "strong"));
    auto* table = new FactTable(m_state);
    std::vector<std::vector<FactCell>> rows;
    std::int64_t latest = 0;
    for (const session::MissId id : dearest)
        latest = std::max(latest, session[id].timeNs - session.originNs);
    const TimeUnit atUnit = timeUnitFor(latest);
    const TimeUnit traceUnit =
        timeUnitFor(dearest.empty() ? 0 : std::max<std::int64_t>(session[dearest.front()].traceNs, 0));
    for (const session::MissId id : dearest) {
        const diagnose::Explanation& explanation = m_state.diagnosis()->explanations[id.value];
        const QString what =
            explanation.callNumber > 0 ? tr("call %1").arg(countText(explanation.callNumber)) : tr("request");
        rows.push_back({{what},
                        {atUnit.text(session[id].timeNs - session.originNs), false, false, true},
                        {session[id].traceNs == session::kNotRecorded ? durationText(session::kNotRecorded)
                                                                      : traceUnit.text(session[id].traceNs),
                         false, false, false, true},
                        {toQString(explanation.sentence)}});
    }
    table->setContent({tr("Call"), tr("At"), tr("Trace"), tr("Why")}, std::move(rows), {0, 0, 0, 1});
    connect(table, &FactTable::rowClicked, this,
            [this, dearest](int row) { m_state.selectMiss(dearest[static_cast<std::size_t>(row)]); });
    m_layout->addWidget(table);
    if (more > 0)
        m_layout->addWidget(
            makeLabel(tr("and %1 more, %2 together")
                          .arg(countText(static_cast<std::int64_t>(more)), durationText(restNs)),
                      "caption"));
}

void FindingPage::step(int by) {
    const std::size_t count = m_finding.misses.size();
    m_position = (m_position + count + static_cast<std::size_t>(by + static_cast<int>(count))) % count;
    m_state.selectMiss(miss());
}

} // namespace retracescope::views
