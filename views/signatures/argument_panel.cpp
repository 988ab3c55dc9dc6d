#include "views/signatures/argument_panel.h"

#include <algorithm>

#include <QApplication>
#include <QClipboard>

#include "views/shared/diff_view.h"
#include "views/shared/numbers.h"
#include "views/shared/widgets.h"
#include "views/signatures/value_chart.h"

namespace retracescope::views {

ArgumentPanel::ArgumentPanel(ViewState& state, QWidget* parent)
    : QWidget(parent), m_state(state), m_job(state.jobs()) {
    setObjectName(QStringLiteral("argumentPanel"));
    setMinimumWidth(300);
    m_content = makeScrolledColumn(this);
    m_content->setContentsMargins(12, 12, 12, 12);
    m_content->setSpacing(6);
    connect(&state, &ViewState::argumentChanged, this, &ArgumentPanel::rebuild);
    rebuild();
}

void ArgumentPanel::rebuild() {
    clearLayout(m_content);
    m_job.drop();
    const session::FunctionId function = m_state.shownFunction();
    const std::string& path = m_state.argument();
    if (m_state.session() == nullptr || !function.isValid() || path.empty())
        return present(std::nullopt);
    m_job.run(
        tr("Reading an argument"),
        [diagnosis = m_state.diagnosis(), function, path](const Job& job) {
            return argumentFacts(*diagnosis, function, path, job);
        },
        [this](const std::optional<ArgumentFacts>& facts) { present(facts); });
}

void ArgumentPanel::present(const std::optional<ArgumentFacts>& facts) {
    if (!facts) {
        QLabel* hint = makeLabel(tr("Click the title of a column in Signatures to see its values."), "muted");
        hint->setWordWrap(true);
        m_content->addWidget(hint);
        m_content->addStretch();
        return;
    }
    addHead(facts->component);
    addFacts(*facts);
    if (const diagnose::Finding* named = finding())
        addEdit(*named);
    m_content->addStretch();
}

const diagnose::Finding* ArgumentPanel::finding() const {
    for (const diagnose::Finding& finding : m_state.diagnosis()->findings) {
        if (finding.function == m_state.shownFunction() && finding.path == m_state.argument())
            return &finding;
    }
    return nullptr;
}

void ArgumentPanel::addHead(const KeyComponent& component) {
    auto* head = new QHBoxLayout;
    head->addWidget(new ElidedLabel(component.label, "codestrong"), 1);
    head->addWidget(
        new ElidedLabel(toQString(m_state.diagnosis()->names[m_state.shownFunction().value]), "muted"), 1);
    static_cast<QLabel*>(head->itemAt(1)->widget())->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_content->addLayout(head);
    m_content->addSpacing(4);
    auto* title = new QHBoxLayout;
    title->addWidget(makeLabel(tr("Calls per value"), "strong"));
    title->addStretch();
    const auto& values = component.values;
    QString caption = pluralText(static_cast<std::int64_t>(values.size()), tr("value"), tr("values"));
    if (component.isNumeric && values.size() > 1)
        caption += tr(", %1 to %2").arg(values.front().first, values.back().first);
    title->addWidget(makeLabel(caption, "caption"));
    m_content->addLayout(title);
    auto* chart = new ValueChart(m_state);
    chart->setComponent(component);
    m_content->addWidget(chart);
    m_content->addSpacing(6);
}

void ArgumentPanel::addFacts(const ArgumentFacts& facts) {
    const session::FunctionId function = m_state.shownFunction();
    const auto fact = [this](const QString& name, const QString& value) {
        auto* row = new QHBoxLayout;
        row->addWidget(makeLabel(name, "muted"));
        row->addStretch();
        row->addWidget(makeLabel(value));
        m_content->addLayout(row);
    };
    fact(tr("Differs in"), tr("%1 of %2")
                               .arg(countText(facts.component.differsIn),
                                    pluralText(facts.retraces, tr("retrace"), tr("retraces"))));
    const auto calls =
        static_cast<std::int64_t>(m_state.diagnosis()->index.callsOfFunction[function.value].size());
    if (facts.lastNewValue > 0)
        fact(tr("Last new value"), tr("call %1 of %2").arg(countText(facts.lastNewValue), countText(calls)));
}

void ArgumentPanel::addEdit(const diagnose::Finding& finding) {
    m_content->addSpacing(6);
    m_content->addWidget(makeRule());
    m_content->addSpacing(2);
    QLabel* title = makeLabel(toQString(finding.title), "strong");
    title->setWordWrap(true);
    m_content->addWidget(title);
    if (finding.avoidableNs > 0)
        m_content->addWidget(
            makeLabel(tr("%1 of tracing can be avoided").arg(durationText(finding.avoidableNs)), "muted"));
    if (finding.edit.exists()) {
        QLabel* sentence = makeLabel(toQString(finding.edit.sentence));
        sentence->setWordWrap(true);
        m_content->addWidget(sentence);
    }
    if (!finding.edit.lines.empty()) {
        auto* diff = new DiffView(m_state);
        diff->setEdit(finding.edit, placeText(finding.edit.file, finding.edit.line));
        m_content->addWidget(diff);
    }
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(kGap);
    auto* open = makeButton(tr("Open the finding"), QStringLiteral("bulb"));
    connect(open, &QPushButton::clicked, this, [this, miss = finding.misses.front()] {
        m_state.selectMiss(miss);
        m_state.requestView(QStringLiteral("findings"));
    });
    buttons->addWidget(open);
    if (finding.edit.exists()) {
        auto* copy = makeButton(tr("Copy edit"), QStringLiteral("copy"));
        connect(copy, &QPushButton::clicked, this,
                [edit = finding.edit] { QApplication::clipboard()->setText(editText(edit)); });
        buttons->addWidget(copy);
    }
    buttons->addStretch();
    m_content->addSpacing(2);
    m_content->addLayout(buttons);
}

} // namespace retracescope::views
