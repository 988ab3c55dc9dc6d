#include "app/gui/filter_chips.h"

#include <algorithm>

#include <QKeyEvent>

#include "views/shared/icons.h"
#include "views/shared/numbers.h"
#include "views/shared/widgets.h"

namespace retracescope::gui {

namespace {

constexpr int kWidestChip = 220;

} // namespace

FilterChips::FilterChips(views::ViewState& state, QWidget* parent)
    : QWidget(parent), m_state(state), m_row(new QHBoxLayout(this)) {
    m_row->setContentsMargins(0, 0, 0, 0);
    m_row->setSpacing(6);
    setAccessibleName(tr("Filters"));
    connect(&state, &views::ViewState::filterChanged, this, &FilterChips::follow);
    follow();
}

void FilterChips::follow() {
    const diagnose::CallFilter& filter = m_state.filter();
    for (const auto& [part, isSet] :
         {std::pair{Part::Outcome, filter.outcome != diagnose::FilterOutcome::Any},
          std::pair{Part::Function, filter.function.isValid()}}) {
        const bool had = std::ranges::find(m_parts, part) != m_parts.end();
        if (isSet && !had)
            m_parts.push_back(part);
        else if (!isSet && had)
            std::erase(m_parts, part);
    }
    views::clearLayout(m_row);
    m_chips.clear();
    for (const Part part : m_parts) {
        auto* chip = new QToolButton;
        chip->setText(fontMetrics().elidedText(textOf(part), Qt::ElideMiddle, kWidestChip));
        chip->setIcon(views::icon(QStringLiteral("close")));
        chip->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        chip->setProperty("chip", true);
        chip->setFocusPolicy(Qt::StrongFocus);
        chip->setToolTip(tr("Take the filter away: %1").arg(textOf(part)));
        chip->setAccessibleName(chip->toolTip());
        chip->installEventFilter(this);
        connect(chip, &QToolButton::clicked, this, [this, part] { drop(part); });
        m_row->addWidget(chip);
        m_chips.push_back(chip);
    }
    setVisible(!m_parts.empty());
}

QString FilterChips::textOf(Part part) const {
    const diagnose::CallFilter& filter = m_state.filter();
    if (part == Part::Function)
        return tr("Function: %1").arg(views::toQString(m_state.diagnosis()->names[filter.function.value]));
    return filter.outcome == diagnose::FilterOutcome::Failed ? tr("Outcome: failed") : tr("Outcome: traced");
}

QStringList FilterChips::texts() const {
    QStringList result;
    for (const Part part : m_parts)
        result += textOf(part);
    return result;
}

void FilterChips::drop(Part part) {
    diagnose::CallFilter filter = m_state.filter();
    if (part == Part::Function)
        filter.function = {};
    else
        filter.outcome = diagnose::FilterOutcome::Any;
    m_state.setFilter(filter);
}

void FilterChips::dropLast() {
    if (!m_parts.empty())
        drop(m_parts.back());
}

bool FilterChips::eventFilter(QObject* watched, QEvent* event) {
    const auto chip = std::ranges::find(m_chips, watched);
    if (event->type() != QEvent::KeyPress || chip == m_chips.end())
        return QWidget::eventFilter(watched, event);
    switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Delete:
    case Qt::Key_Backspace:
    case Qt::Key_Return:
    case Qt::Key_Enter:
        drop(m_parts[static_cast<std::size_t>(chip - m_chips.begin())]);
        return true;
    default:
        return false;
    }
}

} // namespace retracescope::gui
