#include "views/shared/data_table.h"

#include <algorithm>
#include <functional>

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QScrollBar>
#include <QVBoxLayout>

namespace retracescope::views {

namespace {

constexpr int kPadding = 8;
constexpr int kShareTextWidth = 52;

QColor toneColor(Tone tone, const Theme& theme) {
    switch (tone) {
    case Tone::Muted:
        return theme.muted;
    case Tone::Miss:
        return theme.miss.text;
    case Tone::Hit:
        return theme.hit.text;
    case Tone::Error:
        return theme.error.text;
    case Tone::Normal:
    case Tone::Strong:
        break;
    }
    return theme.text;
}

void paintShare(QPainter* painter, QRect cell, double share, const QString& text, bool isPart,
                const Theme& theme) {
    const QRect bar(cell.left(), cell.center().y() - 3, std::max(20, cell.width() - kShareTextWidth), 7);
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    if (share >= 0) {
        painter->setBrush(isPart ? theme.header : theme.miss.tint);
        painter->drawRoundedRect(bar, 2, 2);
        painter->setBrush(isPart ? theme.execute.fill : theme.hit.fill);
        painter->drawRoundedRect(
            QRectF(bar.left(), bar.top(), bar.width() * std::min(share, 1.0), bar.height()), 2, 2);
    }
    painter->setPen(theme.text);
    painter->drawText(QRect(cell.right() - kShareTextWidth + 1, cell.top(), kShareTextWidth, cell.height()),
                      Qt::AlignRight | Qt::AlignVCenter, text);
}

/// Titles with the sort arrow in front of right-aligned ones, so that it never covers a unit.
class TableHeader : public QHeaderView {
public:
    TableHeader(ViewState& state, QWidget* parent) : QHeaderView(Qt::Horizontal, parent), m_state(state) {
        setSectionsClickable(true);
    }

protected:
    void paintSection(QPainter* painter, const QRect& rect, int column) const override {
        const Theme& theme = m_state.theme();
        painter->save();
        painter->fillRect(rect, theme.header);
        painter->fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), theme.line2);
        if (visualIndex(column) > 0)
            painter->fillRect(QRect(rect.left(), rect.top() + 7, 1, rect.height() - 14), theme.line);
        const QString title = model()->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        const auto alignment =
            model()->headerData(column, Qt::Horizontal, Qt::TextAlignmentRole).value<Qt::Alignment>();
        const bool sorted = isSortIndicatorShown() && sortIndicatorSection() == column;
        const bool right = alignment & Qt::AlignRight;
        QRect text = rect.adjusted(kPadding, 0, -kPadding, 0);
        painter->setFont(textFont(TextSize::Caption, true));
        painter->setPen(sorted ? theme.text : theme.muted);
        const int advance = painter->fontMetrics().horizontalAdvance(title);
        painter->drawText(text, static_cast<int>(alignment),
                          painter->fontMetrics().elidedText(title, Qt::ElideRight, text.width()));
        if (sorted) {
            const qreal x =
                right ? text.right() - advance - 8 : std::min(text.left() + advance + 9, text.right() - 4);
            paintArrow(painter, QPointF(x, rect.center().y() + 0.5),
                       sortIndicatorOrder() == Qt::DescendingOrder);
        }
        painter->restore();
    }

private:
    void paintArrow(QPainter* painter, QPointF c, bool down) const {
        const qreal tip = down ? 2.5 : -2.5;
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        painter->setBrush(m_state.theme().text);
        painter->drawPolygon(
            QPolygonF({{c.x() - 3.5, c.y() - tip}, {c.x() + 3.5, c.y() - tip}, {c.x(), c.y() + tip}}));
    }

    ViewState& m_state;
};

/// The totals under a table, in the same columns.
class TotalsStrip : public QWidget {
public:
    using TextOf = std::function<std::vector<QString>()>;

    TotalsStrip(ViewState& state, QTableView* table, FormattedModel* model, TextOf texts, QWidget* parent)
        : QWidget(parent), m_state(state), m_table(table), m_model(model), m_texts(std::move(texts)) {
        setFixedHeight(kRowHeight + 1);
        const auto repaint = [this] { update(); };
        connect(table->horizontalHeader(), &QHeaderView::sectionResized, this, repaint);
        connect(table->horizontalHeader(), &QHeaderView::sectionMoved, this, repaint);
        connect(table->horizontalHeader(), &QHeaderView::geometriesChanged, this, repaint);
        connect(table->horizontalScrollBar(), &QScrollBar::valueChanged, this, repaint);
        connect(&state, &ViewState::themeChanged, this, repaint);
    }

protected:
    void paintEvent(QPaintEvent*) override {
        const Theme& theme = m_state.theme();
        QPainter painter(this);
        painter.fillRect(rect(), theme.view);
        painter.fillRect(0, 0, width(), 1, theme.line2);
        painter.setPen(theme.line);
        painter.drawLine(0, 0, 0, height());
        painter.drawLine(width() - 1, 0, width() - 1, height());
        painter.drawLine(0, height() - 1, width(), height() - 1);
        painter.setFont(textFont(TextSize::Body, true));
        painter.setPen(theme.text);
        const std::vector<QString> texts = m_texts();
        const QHeaderView* header = m_table->horizontalHeader();
        for (int column = 0; column < static_cast<int>(texts.size()); ++column) {
            if (header->isSectionHidden(column))
                continue;
            const QRect cell(1 + header->sectionViewportPosition(column) + kPadding, 0,
                             header->sectionSize(column) - 2 * kPadding, height());
            const auto alignment =
                m_model->headerData(column, Qt::Horizontal, Qt::TextAlignmentRole).value<Qt::Alignment>();
            painter.drawText(cell, static_cast<int>(alignment), texts[static_cast<std::size_t>(column)]);
        }
    }

private:
    ViewState& m_state;
    QTableView* m_table;
    FormattedModel* m_model;
    TextOf m_texts;
};

} // namespace

CellDelegate::CellDelegate(ViewState& state, QObject* parent) : QStyledItemDelegate(parent), m_state(state) {}

QSize CellDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const QSize own = QStyledItemDelegate::sizeHint(option, index);
    return {own.width() + 2 * kPadding, kRowHeight};
}

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
    const Theme& theme = m_state.theme();
    const bool selected = option.state & QStyle::State_Selected;
    painter->save();
    painter->setClipRect(option.rect);
    if (selected)
        painter->fillRect(option.rect, theme.accentTint);
    else if (option.state & QStyle::State_MouseOver)
        painter->fillRect(option.rect, theme.hover);
    else if (option.features & QStyleOptionViewItem::Alternate)
        painter->fillRect(option.rect, theme.alt);
    if (selected && index.column() == 0)
        painter->fillRect(QRect(option.rect.left(), option.rect.top(), 3, option.rect.height()),
                          theme.accent);

    const auto* model = qobject_cast<const FormattedModel*>(index.model());
    const CellFormat format = model != nullptr ? model->format(index.column()) : CellFormat::Text;
    const QString text = index.data(Qt::DisplayRole).toString();
    const QRect cell = option.rect.adjusted(kPadding, 0, -kPadding, 0);
    const Tone tone = static_cast<Tone>(index.data(kToneRole).toInt());
    QFont font = option.font;
    if (const QVariant own = index.data(Qt::FontRole); own.isValid())
        font = own.value<QFont>();
    font.setBold(tone == Tone::Strong || tone == Tone::Miss);
    painter->setFont(font);
    if (format == CellFormat::Share || format == CellFormat::Part) {
        const QModelIndex source = model->mapToSource(index);
        paintShare(painter, cell, source.data(Qt::DisplayRole).toDouble(), text, format == CellFormat::Part,
                   theme);
    } else {
        const auto alignment = index.data(Qt::TextAlignmentRole).value<Qt::Alignment>();
        painter->setPen(format == CellFormat::Place ? theme.accent : toneColor(tone, theme));
        painter->drawText(cell, static_cast<int>(alignment) | Qt::TextSingleLine,
                          QFontMetrics(font).elidedText(text, Qt::ElideMiddle, cell.width()));
    }
    painter->restore();
}

void configureItemView(QAbstractItemView* view) {
    view->setSelectionBehavior(QAbstractItemView::SelectRows);
    view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view->setAlternatingRowColors(true);
    view->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    view->setMouseTracking(true);
    view->setTabKeyNavigation(false);
}

DataTable::DataTable(ViewState& state, QAbstractItemModel* model, std::vector<CellFormat> formats,
                     QWidget* parent)
    : QWidget(parent), m_state(state), m_proxy(new FormattedModel(this)), m_table(new QTableView(this)) {
    m_proxy->setSourceModel(model);
    m_proxy->setFormats(std::move(formats));
    m_table->setHorizontalHeader(new TableHeader(state, m_table));
    m_table->setModel(m_proxy);
    configureItemView(m_table);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setItemDelegate(new CellDelegate(state, m_table));
    m_table->setShowGrid(false);
    m_table->setSortingEnabled(true);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(kRowHeight);
    m_table->verticalHeader()->setMinimumSectionSize(kRowHeight);
    QHeaderView* header = m_table->horizontalHeader();
    header->setHighlightSections(false);
    header->setSectionsMovable(true);
    header->setFixedHeight(kRowHeight);
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    m_totalsStrip = new TotalsStrip(
        state, m_table, m_proxy, [this] { return totalTexts(); }, this);
    m_totalsStrip->hide();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_table, 1000); // as far as its rows go; the rest stays empty below the totals
    layout->addWidget(m_totalsStrip);
    layout->addStretch(1);
    m_table->installEventFilter(this);
    connect(m_proxy, &QAbstractItemModel::modelReset, this, &DataTable::fitHeight);
    connect(m_proxy, &QAbstractItemModel::rowsInserted, this, &DataTable::fitHeight);
    connect(m_proxy, &QAbstractItemModel::rowsRemoved, this, &DataTable::fitHeight);
    connect(m_proxy, &QAbstractItemModel::modelReset, this, &DataTable::fitColumns);
    m_table->viewport()->installEventFilter(this);
    connect(m_table->horizontalScrollBar(), &QScrollBar::rangeChanged, this, &DataTable::fitHeight);
    connect(header, &QHeaderView::sectionResized, this,
            [this](int column) { m_userSized |= !m_fitting && column != m_stretchColumn && isVisible(); });
    connect(header, &QHeaderView::customContextMenuRequested, this, &DataTable::showHeaderMenu);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
        if (!m_selecting && selectedSourceRow() >= 0)
            Q_EMIT rowChosen(selectedSourceRow());
    });
    connect(m_table, &QTableView::doubleClicked, this,
            [this](const QModelIndex& index) { Q_EMIT rowActivated(m_proxy->mapToSource(index).row()); });
    connect(m_table, &QTableView::clicked, this, [this](const QModelIndex& index) {
        if (m_proxy->format(index.column()) == CellFormat::Place && !index.data().toString().isEmpty())
            Q_EMIT placeClicked(m_proxy->mapToSource(index).row());
    });
}

bool DataTable::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_table->viewport() && event->type() == QEvent::Resize)
        fitColumns();
    if (watched == m_table && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->matches(QKeySequence::Copy)) {
            QApplication::clipboard()->setText(
                m_proxy->tabSeparated(m_table->selectionModel()->selectedRows()));
            return true;
        }
        if ((key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) &&
            key->modifiers() == Qt::NoModifier && selectedSourceRow() >= 0) {
            Q_EMIT rowActivated(selectedSourceRow());
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void DataTable::showHeaderMenu(const QPoint& position) {
    QMenu menu(this);
    for (int column = 0; column < m_proxy->columnCount(); ++column) {
        QAction* action =
            menu.addAction(m_proxy->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
        action->setCheckable(true);
        action->setChecked(!m_table->isColumnHidden(column));
        action->setEnabled(column != 0);
        connect(action, &QAction::toggled, this,
                [this, column](bool on) { m_table->setColumnHidden(column, !on); });
    }
    menu.exec(m_table->horizontalHeader()->mapToGlobal(position));
}

void DataTable::setTotals(std::vector<QVariant> totals) {
    m_totals = std::move(totals);
    m_totalsStrip->setVisible(!m_totals.empty());
    m_totalsStrip->update();
    fitColumns();
}

std::vector<QString> DataTable::totalTexts() const {
    std::vector<QString> texts;
    for (std::size_t column = 0; column < m_totals.size(); ++column) {
        const QVariant& value = m_totals[column];
        texts.push_back(value.userType() == QMetaType::QString
                            ? value.toString()
                            : m_proxy->text(static_cast<int>(column), value));
    }
    return texts;
}

void DataTable::setColumnWidths(const std::vector<int>& widths, int stretchColumn) {
    m_wantedWidths = widths;
    m_stretchColumn = stretchColumn;
    fitColumns();
    fitHeight();
}

/// For the title with its arrow and the first rows.
int DataTable::neededWidth(int column) const {
    constexpr int kRowsLookedAt = 40;
    constexpr int kArrow = 12;
    const CellFormat format = m_proxy->format(column);
    const QString title = m_proxy->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    int width =
        QFontMetrics(textFont(TextSize::Caption, true)).horizontalAdvance(title) + 2 * kPadding + kArrow;
    if (format == CellFormat::Share || format == CellFormat::Part)
        return std::max(width, 100); // a bar with its percent
    const bool isCode = format == CellFormat::Code;
    const QFontMetrics metrics(isCode ? codeFont(TextSize::Body) : textFont(TextSize::Body, true));
    for (int row = 0; row < std::min(m_proxy->rowCount(), kRowsLookedAt); ++row)
        width = std::max(width, metrics.horizontalAdvance(m_proxy->index(row, column).data().toString()) +
                                    2 * kPadding + 2);
    const std::vector<QString> totals = totalTexts();
    if (static_cast<std::size_t>(column) < totals.size())
        width = std::max(width,
                         metrics.horizontalAdvance(totals[static_cast<std::size_t>(column)]) + 2 * kPadding);
    return width;
}

void DataTable::fitColumns() {
    if (m_wantedWidths.empty() || m_userSized || m_fitting)
        return;
    const QScopedValueRollback<bool> guard(m_fitting, true);
    QHeaderView* header = m_table->horizontalHeader();
    std::vector<int> least(m_wantedWidths.size());
    int wantedSum = 0;
    int leastSum = 0;
    for (std::size_t column = 0; column < least.size(); ++column) {
        if (m_table->isColumnHidden(static_cast<int>(column)))
            continue;
        least[column] = std::min(neededWidth(static_cast<int>(column)), m_wantedWidths[column]);
        if (static_cast<int>(column) == m_stretchColumn)
            least[column] = m_wantedWidths[column] / 2;
        wantedSum += m_wantedWidths[column];
        leastSum += least[column];
    }
    const double share = wantedSum == leastSum
                             ? 1.0
                             : std::clamp(static_cast<double>(m_table->viewport()->width() - leastSum) /
                                              static_cast<double>(wantedSum - leastSum),
                                          0.0, 1.0);
    const bool scrolls = m_table->viewport()->width() < leastSum;
    header->setSectionResizeMode(m_stretchColumn, scrolls ? QHeaderView::Interactive : QHeaderView::Stretch);
    for (std::size_t column = 0; column < least.size(); ++column) {
        if (static_cast<int>(column) == m_stretchColumn && !scrolls)
            continue;
        const int more =
            static_cast<int>(share * static_cast<double>(m_wantedWidths[column] - least[column]));
        m_table->setColumnWidth(static_cast<int>(column), least[column] + more);
    }
}

/// No higher than its rows, so that the totals follow them.
void DataTable::fitHeight() {
    const QScrollBar* bar = m_table->horizontalScrollBar();
    const int barHeight =
        bar->maximum() > bar->minimum() && m_table->horizontalScrollBarPolicy() != Qt::ScrollBarAlwaysOff
            ? bar->sizeHint().height()
            : 0;
    m_table->setMaximumHeight((m_proxy->rowCount() + 1) * kRowHeight + 3 + barHeight);
}

int DataTable::fullHeight() const {
    return (m_proxy->rowCount() + 1) * kRowHeight + 3 + (m_totals.empty() ? 0 : kRowHeight + 1);
}

void DataTable::selectSourceRow(int row) {
    const QScopedValueRollback<bool> guard(m_selecting, true);
    if (row < 0) {
        m_table->clearSelection();
        m_table->setCurrentIndex({});
        return;
    }
    const QModelIndex index = m_proxy->mapFromSource(m_proxy->sourceModel()->index(row, 0));
    if (!index.isValid() || index.row() == m_table->currentIndex().row())
        return;
    m_table->setCurrentIndex(index.sibling(index.row(), std::max(0, m_table->currentIndex().column())));
    m_table->scrollTo(index);
}

int DataTable::selectedSourceRow() const {
    const QModelIndex current = m_table->currentIndex();
    return current.isValid() ? m_proxy->mapToSource(current).row() : -1;
}

} // namespace retracescope::views
