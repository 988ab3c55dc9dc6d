#include "app/gui/selection_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QGridLayout>
#include <QPainter>

#include <retracescope/session/lane_names.h>

#include "views/models/comparison.h"
#include "views/models/event_facts.h"
#include "views/shared/fact_table.h"
#include "views/shared/glyphs.h"
#include "views/shared/numbers.h"
#include "views/shared/widgets.h"

namespace retracescope::gui {

using views::makeLabel;

namespace {

/// A glyph as a widget.
class GlyphLabel : public QWidget {
public:
    GlyphLabel(views::ViewState& state, views::Glyph glyph) : m_state(state), m_glyph(glyph) {
        setFixedSize(18, 18);
        setAccessibleName(views::glyphWord(glyph));
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        views::paintGlyph(painter, m_glyph, QPointF(9, 9), 13, m_state.theme());
    }

private:
    views::ViewState& m_state;
    views::Glyph m_glyph;
};

/// One part of a cost: swatch, name, bar in proportion, time.
class CostBar : public QWidget {
public:
    CostBar(views::ViewState& state, QString name, QString text, double share, QColor views::Theme::*flat,
            views::Meaning views::Theme::*meaning)
        : m_state(state), m_name(std::move(name)), m_text(std::move(text)), m_share(share), m_flat(flat),
          m_meaning(meaning) {
        setFixedHeight(21);
        setAccessibleName(QStringLiteral("%1: %2").arg(m_name, m_text));
    }

protected:
    void paintEvent(QPaintEvent*) override {
        const views::Theme& theme = m_state.theme();
        const QColor fill = m_meaning != nullptr ? (theme.*m_meaning).fill : theme.*m_flat;
        QPainter painter(this);
        painter.setFont(views::textFont(views::TextSize::Body));
        painter.fillRect(QRect(0, 5, 11, 11), fill);
        painter.setPen(theme.text);
        painter.drawText(QRect(18, 0, 100, height()), Qt::AlignVCenter, m_name);
        painter.drawText(rect(), Qt::AlignRight | Qt::AlignVCenter, m_text);
        const int room = width() - 118 - 90;
        if (room > 10 && m_share > 0)
            painter.fillRect(QRect(118, 6, std::max(2, static_cast<int>(room * m_share)), 9), fill);
    }

private:
    views::ViewState& m_state;
    QString m_name;
    QString m_text;
    double m_share;
    QColor views::Theme::*m_flat;
    views::Meaning views::Theme::*m_meaning;
};

} // namespace

SelectionPanel::SelectionPanel(views::ViewState& state, QWidget* parent) : QWidget(parent), m_state(state) {
    setObjectName(QStringLiteral("selectionPanel"));
    setMinimumWidth(300);
    m_content = views::makeScrolledColumn(this);
    m_content->setContentsMargins(12, 12, 12, 12);
    m_content->setSpacing(6);
    connect(&state, &views::ViewState::selectionChanged, this, &SelectionPanel::rebuild);
    connect(&state, &views::ViewState::diagnosisChanged, this, &SelectionPanel::rebuild);
    rebuild();
}

void SelectionPanel::rebuild() {
    views::clearLayout(m_content);
    const views::Selection& selection = m_state.selection();
    if (m_state.session() != nullptr && selection.event) {
        addEvent(*selection.event);
        if (selection.function.isValid())
            addButtons();
        m_content->addStretch();
        return;
    }
    if (m_state.session() == nullptr || !selection.function.isValid()) {
        QLabel* hint = makeLabel(tr("Nothing is selected. Choose a function, an entry, a call or an event in "
                                    "any view to see it here."),
                                 "muted");
        hint->setWordWrap(true);
        m_content->addWidget(hint);
        m_content->addStretch();
        return;
    }
    addHead();
    if (selection.call.isValid())
        addCall();
    else if (selection.entry.isValid())
        addEntry();
    else if (!selection.miss.isValid())
        addFunction();
    if (selection.miss.isValid()) {
        addMiss();
        addComparison();
        addStack();
    }
    addButtons();
    m_content->addStretch();
}

void SelectionPanel::addHead() {
    const session::Session& session = *m_state.session();
    const views::Selection& selection = m_state.selection();
    auto* head = new QHBoxLayout;
    head->setSpacing(8);
    QString what;
    if (selection.call.isValid()) {
        head->addWidget(new GlyphLabel(m_state, views::glyphOfCall(session, selection.call, selection.miss)));
        what = tr("call %1 of %2")
                   .arg(views::countText(session.calls.number[selection.call.value]),
                        views::countText(static_cast<std::int64_t>(
                            m_state.diagnosis()->index.callsOfFunction[selection.function.value].size())));
    } else if (selection.entry.isValid()) {
        what = tr("entry %1").arg(session[selection.entry].number);
    } else {
        what = tr("function");
    }
    head->addWidget(new views::ElidedLabel(
                        views::toQString(m_state.diagnosis()->names[selection.function.value]), "codestrong"),
                    1);
    head->addWidget(makeLabel(what, "muted"));
    m_content->addLayout(head);
    m_content->addSpacing(2);
}

/// A span, kernel or instant: what it is, when it ran and the arguments that the file keeps of it.
void SelectionPanel::addEvent(const session::EventRef& event) {
    const session::Session& session = *m_state.session();
    const views::EventFacts facts = views::factsOf(session, event);
    const bool isInstant = event.kind == session::EventKind::Instant;
    QLabel* title = makeLabel(facts.name, "codestrong");
    title->setWordWrap(true);
    title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_content->addWidget(title);
    const session::LaneName where = session::laneNames(session)[facts.lane.value];
    const views::TimeUnit seconds{1e9, 6, QStringLiteral("s")};
    addFacts({{tr("Kind"), event.kind == session::EventKind::Kernel ? tr("kernel")
                           : isInstant                              ? tr("instant")
                                                                    : tr("span")},
              {tr("Category"), facts.category},
              {isInstant ? tr("At") : tr("Started"), seconds.text(facts.startNs - session.originNs)},
              {tr("Took"), isInstant ? QString() : views::durationText(facts.durationNs)},
              {tr("Lane"), views::toQString(where.name)},
              {tr("Process"), views::toQString(where.process)}});
    if (facts.arguments.empty())
        return;
    m_content->addSpacing(8);
    m_content->addWidget(makeLabel(tr("Arguments"), "strong"));
    addFacts(facts.arguments);
}

void SelectionPanel::addFacts(const std::vector<std::pair<QString, QString>>& facts) {
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(4);
    grid->setColumnMinimumWidth(0, 78);
    grid->setColumnStretch(1, 1);
    int row = 0;
    for (const auto& [name, value] : facts) {
        if (value.isEmpty())
            continue;
        grid->addWidget(makeLabel(name, "muted"), row, 0, Qt::AlignTop);
        QLabel* text = makeLabel(value);
        text->setWordWrap(true);
        text->setTextInteractionFlags(Qt::TextSelectableByMouse);
        grid->addWidget(text, row++, 1);
    }
    m_content->addLayout(grid);
}

void SelectionPanel::addCall() {
    const session::Session& session = *m_state.session();
    const views::Selection& selection = m_state.selection();
    const auto row = selection.call.value;
    const session::CallTable& calls = session.calls;
    QString outcome = views::glyphWord(views::glyphOfCall(session, selection.call, selection.miss));
    if (calls.entry[row].isValid())
        outcome += tr(": concrete function %1").arg(session[calls.entry[row]].number);
    const views::TimeUnit seconds{1e9, 6, QStringLiteral("s")};
    const QString lane = views::toQString(session::laneNames(session)[calls.lane[row].value].name);
    addFacts({{tr("Outcome"), outcome},
              {tr("Started"), seconds.text(calls.startNs[row] - session.originNs) +
                                  (lane.isEmpty() ? QString() : QStringLiteral(", ") + lane)}});
    if (calls.traceNs[row] == session::kNotRecorded) // what of it was tracing is not known
        addFacts({{tr("Took"), views::durationText(calls.durationNs[row])}});
    else
        addCost(calls.traceNs[row], calls.durationNs[row] - calls.traceNs[row],
                calls.outcome[row] == session::Outcome::Error);
}

void SelectionPanel::addEntry() {
    const session::Session& session = *m_state.session();
    const session::Entry& entry = session[m_state.selection().entry];
    const auto& served = m_state.diagnosis()->index.callsOfEntry[m_state.selection().entry.value];
    const auto text = [](std::int64_t count) {
        return count == session::kNotRecorded ? views::durationText(session::kNotRecorded)
                                              : views::countText(count);
    };
    const std::array<QString, 4> states{tr("alive"), tr("dead: an object of its key is gone"), tr("cleared"),
                                        tr("evicted")};
    addFacts({{tr("Name"), views::toQString(session.text(entry.name))},
              {tr("Signature"), views::toQString(session.text(session[entry.signature].text))},
              {tr("Relaxed"), entry.relaxed ? tr("yes, wider than the request that traced it") : QString()},
              {tr("Result"), views::toQString(session.text(entry.output))},
              {tr("State"), states[static_cast<std::size_t>(entry.state)]},
              {tr("Calls"), text(static_cast<std::int64_t>(served.size()))},
              {tr("Nodes"), text(entry.nodeCount)},
              {tr("Captures"), text(entry.captureCount)},
              {tr("Trace"), views::durationText(entry.traceNs)}});
}

void SelectionPanel::addFunction() {
    const session::Session& session = *m_state.session();
    const session::FunctionId id = m_state.selection().function;
    const session::Function& function = session[id];
    const session::FunctionSummary& summary = m_state.diagnosis()->functions[id.value];
    addFacts(
        {{tr("Parameters"), views::toQString(session.text(function.parameters))},
         {tr("Signature"), views::toQString(session.text(function.inputSignature))},
         {tr("Options"), views::toQString(session.text(function.options))},
         {tr("Defined at"), views::placeText(session.text(function.file), function.line)},
         {tr("Calls"), views::countsSentence(summary.calls, summary.hits, summary.traces)},
         {tr("Body runs"),
          function.bodyRuns == session::kNotRecorded ? QString() : views::countText(function.bodyRuns)}});
    if (summary.tracingNs == session::kNotRecorded || summary.executeNs == session::kNotRecorded)
        addFacts({{tr("Took"), views::durationText(summary.totalNs)}});
    else
        addCost(summary.tracingNs, summary.executeNs, false);
}

void SelectionPanel::addMiss() {
    const session::MissId miss = m_state.selection().miss;
    const diagnose::Explanation& explanation = m_state.diagnosis()->explanations[miss.value];
    const session::Session& session = *m_state.session();
    addFacts({{tr("Why"), views::toQString(explanation.sentence)},
              {tr("Withdrawn"), session[miss].withdrawn ? tr("the call failed") : QString()},
              {tr("Failed with"), views::toQString(session.text(session[miss].exception))},
              {tr("Edit"), views::toQString(explanation.edit.sentence)}});
}

void SelectionPanel::addCost(std::int64_t tracingNs, std::int64_t restNs, bool failed) {
    const std::int64_t total = tracingNs + restNs;
    if (total <= 0)
        return;
    m_content->addSpacing(6);
    m_content->addWidget(makeLabel(
        m_state.selection().call.isValid() ? tr("Cost of this call") : tr("Cost of all calls"), "strong"));
    const views::TimeUnit unit = views::timeUnitOfParts(total);
    const std::array<std::int64_t, 2> parts{tracingNs, restNs};
    const auto texts = views::partsThatAddUp(parts, unit);
    const auto share = [total](std::int64_t part) {
        return static_cast<double>(part) / static_cast<double>(total);
    };
    m_content->addWidget(
        new CostBar(m_state, tr("tracing"), texts[0], share(tracingNs), nullptr, &views::Theme::miss));
    m_content->addWidget(new CostBar(m_state, failed ? tr("failed") : tr("without tracing"), texts[1],
                                     share(restNs), nullptr,
                                     failed ? &views::Theme::error : &views::Theme::execute));
    m_content->addWidget(views::makeRule());
    auto* sum = new QHBoxLayout;
    sum->addWidget(makeLabel(tr("all together"), "strong"));
    sum->addStretch();
    sum->addWidget(makeLabel(unit.text(total), "strong"));
    m_content->addLayout(sum);
}

void SelectionPanel::addComparison() {
    const session::Session& session = *m_state.session();
    const session::MissId miss = m_state.selection().miss;
    const diagnose::Explanation& explanation = m_state.diagnosis()->explanations[miss.value];
    if (!explanation.nearest.isValid())
        return;
    const session::Entry& nearest = session[explanation.nearest];
    m_content->addSpacing(8);
    m_content->addWidget(makeLabel(tr("Compared with the nearest entry"), "strong"));
    std::vector<std::vector<views::FactCell>> rows;
    for (const views::ComparedComponent& row :
         views::compareKeys(session, session[miss].request, nearest.signature))
        rows.push_back({{views::argumentLabel(row.path)},
                        {row.request, row.differs, true, !row.differs},
                        {row.stored, row.differs, true, !row.differs}});
    auto* table = new views::FactTable(m_state);
    table->setObjectName(QStringLiteral("selectionComparison"));
    table->setContent({tr("Argument"), tr("This call"), tr("Entry %1").arg(nearest.number)}, std::move(rows),
                      {1, 1, 1});
    m_content->addWidget(table);
}

void SelectionPanel::addStack() {
    const session::Session& session = *m_state.session();
    const session::StackId stack = session[m_state.selection().miss].stack;
    if (!stack.isValid() || session[stack].frames.empty())
        return;
    m_content->addSpacing(8);
    m_content->addWidget(makeLabel(tr("Call stack at the trace"), "strong"));
    std::vector<std::pair<QString, QString>> rows;
    for (const session::Frame& frame : session[stack].frames) {
        rows.emplace_back(views::placeText(session.text(frame.file), frame.line),
                          views::toQString(session.text(frame.function)));
        if (rows.size() == 8)
            break;
    }
    addFacts(rows);
}

void SelectionPanel::addButtons() {
    m_content->addSpacing(10);
    auto* grid = new QGridLayout;
    grid->setSpacing(8);
    int cell = 0;
    const auto add = [&](const QString& text, const QString& icon, const QString& view) {
        QPushButton* button = views::makeButton(text, icon);
        connect(button, &QPushButton::clicked, this, [this, view] { m_state.requestView(view); });
        grid->addWidget(button, cell / 2, cell % 2);
        ++cell;
    };
    add(tr("Signatures"), QStringLiteral("table"), QStringLiteral("signatures"));
    add(tr("Timeline"), QStringLiteral("timeline"), QStringLiteral("timeline"));
    add(tr("Graph"), QStringLiteral("graph"), QStringLiteral("graph"));
    add(tr("Source"), QStringLiteral("source"), QStringLiteral("source"));
    m_content->addLayout(grid);
}

} // namespace retracescope::gui
