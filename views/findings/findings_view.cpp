#include "views/findings/findings_view.h"

#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include "views/shared/data_table.h"
#include "views/shared/glyphs.h"
#include "views/shared/icons.h"
#include "views/shared/numbers.h"

namespace retracescope::views {

namespace {

constexpr int kRankedHeight = 76;
constexpr int kExpectedHeight = 34;

/// A finding in the list: function and time, title, counts; an expected one is one line.
class FindingDelegate : public QStyledItemDelegate {
public:
    FindingDelegate(ViewState& state, QObject* parent) : QStyledItemDelegate(parent), m_state(state) {}

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override {
        return {240, index.data(FindingsModel::ExpectedRole).toBool() ? kExpectedHeight : kRankedHeight};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const Theme& theme = m_state.theme();
        const bool expected = index.data(FindingsModel::ExpectedRole).toBool();
        const QRect area = option.rect;
        painter->save();
        painter->setClipRect(area);
        if (option.state & QStyle::State_Selected) {
            painter->fillRect(area, theme.accentTint);
            painter->fillRect(QRect(area.left(), area.top(), 3, area.height()), theme.accent);
        } else if (option.state & QStyle::State_MouseOver) {
            painter->fillRect(area, theme.hover);
        } else if (expected) {
            painter->fillRect(area, theme.alt);
        }
        painter->fillRect(QRect(area.left(), area.bottom(), area.width(), 1), theme.line);
        const QRect text = area.adjusted(40, 0, -12, 0);
        const QRect first(text.left(), area.top() + (expected ? 7 : 11), text.width(), 20);
        paintGlyph(*painter, expected ? Glyph::Expected : Glyph::Trace,
                   QPointF(area.left() + 22, first.center().y()), 12, theme);
        const std::int64_t avoidable = index.data(FindingsModel::AvoidableRole).toLongLong();
        const std::int64_t cost = index.data(FindingsModel::CostRole).toLongLong();
        const QString time = durationText(avoidable > 0 ? avoidable : cost);
        painter->setFont(textFont(TextSize::Strong, avoidable > 0));
        painter->setPen(avoidable > 0 ? theme.miss.text : theme.muted);
        painter->drawText(first, Qt::AlignRight | Qt::AlignVCenter, time);
        const int room = first.width() - painter->fontMetrics().horizontalAdvance(time) - 10;
        const auto line = [&](const QRect& where, const QString& what, int width) {
            painter->drawText(where, Qt::AlignVCenter,
                              painter->fontMetrics().elidedText(what, Qt::ElideRight, width));
        };
        const QString title = index.data(Qt::DisplayRole).toString();
        painter->setPen(theme.text);
        if (expected) {
            painter->setFont(textFont(TextSize::Body));
            line(first, title, room);
        } else {
            painter->setFont(codeFont(TextSize::Strong, true));
            line(first, index.data(FindingsModel::FunctionRole).toString(), room);
            painter->setFont(textFont(TextSize::Body));
            line(first.translated(0, 20), title, first.width());
            painter->setFont(textFont(TextSize::Caption));
            painter->setPen(theme.muted);
            line(first.translated(0, 39), index.data(FindingsModel::DetailRole).toString(), first.width());
        }
        painter->restore();
    }

private:
    ViewState& m_state;
};

} // namespace

FindingsView::FindingsView(ViewState& state, QWidget* parent)
    : View(state, QStringLiteral("findings"), tr("Findings"), parent), m_model(new FindingsModel(this)),
      m_list(new QListView), m_filter(new QLineEdit), m_hidden(makeLabel({}, "caption")),
      m_page(new FindingPage(state)), m_none(new MessagePanel), m_detail(new QStackedWidget),
      m_pages(new QStackedWidget), m_empty(new EmptyPanel(state, id())) {
    m_detail->addWidget(m_page);
    m_detail->addWidget(m_none);
    QWidget* list = makeList();
    m_pages->addWidget(makeSplit(list, m_detail, list, 340));
    m_pages->addWidget(m_empty);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_pages);
    connect(&state, &ViewState::diagnosisChanged, this, &FindingsView::onDiagnosisChanged);
    connect(&state, &ViewState::selectionChanged, this, &FindingsView::showSelection);
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& words) {
        m_model->setFilter(words);
        updateHidden();
        showSelection();
    });
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex& index) { choose(index.row()); });
    onDiagnosisChanged();
}

QWidget* FindingsView::makeList() {
    m_filter->setPlaceholderText(tr("Filter by function, cause or words"));
    m_filter->setAccessibleName(tr("Filter findings"));
    m_filter->addAction(icon(QStringLiteral("filter"), IconTone::Muted), QLineEdit::LeadingPosition);
    m_filter->setClearButtonEnabled(true);
    m_list->setModel(m_model);
    m_list->setItemDelegate(new FindingDelegate(state(), m_list));
    configureItemView(m_list);
    m_list->setAlternatingRowColors(false);
    m_list->setProperty("frame", "none");
    m_list->setAccessibleName(tr("Findings"));
    auto* side = new QWidget;
    side->setProperty("surface", "view");
    side->setMinimumWidth(260);
    auto* layout = new QVBoxLayout(side);
    layout->setContentsMargins(0, 10, 0, 10);
    layout->setSpacing(8);
    auto* top = new QHBoxLayout;
    top->setContentsMargins(12, 0, 12, 0);
    top->addWidget(m_filter);
    layout->addLayout(top);
    layout->addWidget(m_list, 1);
    m_hidden->setContentsMargins(12, 0, 12, 0);
    m_hidden->setWordWrap(true);
    layout->addWidget(m_hidden);
    return side;
}

void FindingsView::onDiagnosisChanged() {
    {
        const QScopedValueRollback<bool> guard(m_updating, true);
        m_model->setDiagnosis(state().diagnosis());
    }
    if (state().session() == nullptr || !state().diagnosis()->functions.empty())
        m_empty->setMissing(tr("No findings."), state().session() == nullptr
                                                    ? QString()
                                                    : toQString(state().diagnosis()->headline));
    else
        m_empty->setMissing(tr("No findings: this file has no calls of traced functions."));
    m_pages->setCurrentIndex(state().session() == nullptr || state().diagnosis()->findings.empty() ? 1 : 0);
    updateHidden();
    showSelection();
}

void FindingsView::updateHidden() {
    const int hidden = m_model->hiddenByFilter();
    m_hidden->setText(
        hidden > 0 ? tr("%1 hidden by the filter.").arg(pluralText(hidden, tr("finding"), tr("findings")))
                   : tr("Ranked by avoidable time, then by cost. A first call is expected and listed last."));
}

void FindingsView::showSelection() {
    const QScopedValueRollback<bool> guard(m_updating, true);
    const Selection& selection = state().selection();
    int row = m_model->rowOfMiss(selection.miss);
    if (row < 0)
        row = m_model->rowOfFunction(selection.function);
    if (row < 0 && m_model->rowCount() > 0)
        row = 0;
    if (row < 0) {
        m_none->setMessage(tr("No finding matches the filter."));
        m_detail->setCurrentIndex(1);
        return;
    }
    m_detail->setCurrentIndex(0);
    m_list->setCurrentIndex(m_model->index(row));
    m_page->show(m_model->finding(row), selection.miss);
}

void FindingsView::choose(int row) {
    if (m_updating || row < 0)
        return;
    state().selectMiss(m_model->finding(row).misses.front());
}

bool FindingsView::focusFind() {
    m_filter->setFocus(Qt::ShortcutFocusReason);
    m_filter->selectAll();
    return true;
}

} // namespace retracescope::views
