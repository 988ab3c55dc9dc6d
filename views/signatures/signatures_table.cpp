#include "views/signatures/signatures_table.h"

#include <algorithm>

#include <QMouseEvent>
#include <QPainter>

#include "views/shared/glyphs.h"
#include "views/shared/numbers.h"

namespace retracescope::views {

namespace {

constexpr int kPadding = 8;
constexpr int kGlyphSpace = 20;
constexpr int kMostBars = 24;
constexpr int kArrowSpace = 18; ///< at the right of a component's title

bool isRightAligned(const SignaturesModel& model, int column) {
    return column == SignatureRows::Third || column == SignatureRows::Fourth ||
           column == model.content()->traceColumn();
}

} // namespace

SignaturesHeader::SignaturesHeader(ViewState& state, SignaturesModel& model, QWidget* parent)
    : QHeaderView(Qt::Horizontal, parent), m_state(state), m_model(model) {
    setSectionsClickable(true);
    setSectionsMovable(true);
    setHighlightSections(false);
    setFixedHeight(46);
    connect(this, &QHeaderView::sectionClicked, this, &SignaturesHeader::onClicked);
    connect(this, &QHeaderView::sectionMoved, this, [this](int, int from, int to) {
        // The first columns stay in front: they are shown once more while the others scroll.
        const bool crosses =
            (from < SignatureRows::FixedColumnCount) != (to < SignatureRows::FixedColumnCount);
        if (crosses || from < SignatureRows::FixedColumnCount) {
            const QSignalBlocker blocker(this);
            moveSection(to, from);
            viewport()->update();
        }
    });
    connect(&state, &ViewState::themeChanged, this, [this] { viewport()->update(); });
}

void SignaturesHeader::mousePressEvent(QMouseEvent* event) {
    m_pressedX = event->pos().x();
    QHeaderView::mousePressEvent(event);
}

/// Up, down, and back to the order in which they were made.
void SignaturesHeader::onClicked(int column) {
    const int fromRight = sectionViewportPosition(column) + sectionSize(column) - m_pressedX;
    if (m_model.content()->component(column) != nullptr && fromRight > kArrowSpace) {
        choose(column == m_chosen ? -1 : column);
        Q_EMIT columnChosen(m_chosen);
        return;
    }
    if (column != m_sortColumn)
        setSortColumn(column, Qt::AscendingOrder);
    else if (m_sortOrder == Qt::AscendingOrder)
        setSortColumn(column, Qt::DescendingOrder);
    else
        setSortColumn(-1, Qt::AscendingOrder);
    Q_EMIT sortChosen(m_sortColumn, m_sortOrder);
}

void SignaturesHeader::setSortColumn(int column, Qt::SortOrder order) {
    m_sortColumn = column;
    m_sortOrder = order;
    viewport()->update();
}

/// Strong on the column that sorts, faint on a component that could.
void SignaturesHeader::paintArrow(QPainter* painter, QPointF centre, int column) const {
    const bool sorts = column == m_sortColumn;
    const qreal tip = sorts && m_sortOrder == Qt::DescendingOrder ? 2.5 : -2.5;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    painter->setBrush(sorts ? m_state.theme().text : m_state.theme().line2);
    painter->drawPolygon(QPolygonF({{centre.x() - 3.5, centre.y() - tip},
                                    {centre.x() + 3.5, centre.y() - tip},
                                    {centre.x(), centre.y() + tip}}));
    painter->restore();
}

void SignaturesHeader::choose(int column) {
    m_chosen = column;
    viewport()->update();
}

void SignaturesHeader::paintSection(QPainter* painter, const QRect& rect, int column) const {
    const Theme& theme = m_state.theme();
    painter->save();
    painter->setClipRect(rect);
    painter->fillRect(rect, column == m_chosen ? theme.accentTint : theme.header);
    painter->fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), theme.line2);
    if (column > 0)
        painter->fillRect(QRect(rect.left(), rect.top() + 8, 1, rect.height() - 16), theme.line);
    const QRect text = rect.adjusted(kPadding, 0, -kPadding, 0);
    const QString title = m_model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    painter->setFont(textFont(TextSize::Caption, true));
    painter->setPen(column == m_chosen ? theme.text : theme.muted);
    const KeyComponent* component = m_model.content()->component(column);
    if (component == nullptr) {
        painter->drawText(
            text, Qt::AlignVCenter | (isRightAligned(m_model, column) ? Qt::AlignRight : Qt::AlignLeft),
            title);
        if (column == m_sortColumn) {
            const int advance = painter->fontMetrics().horizontalAdvance(title);
            const qreal x = isRightAligned(m_model, column)
                                ? text.right() - advance - 7.0
                                : std::min(text.left() + advance + 9, text.right() - 4);
            paintArrow(painter, QPointF(x, rect.center().y() + 0.5), column);
        }
        painter->restore();
        return;
    }
    paintArrow(painter, QPointF(rect.right() - kArrowSpace / 2.0 + 2, rect.top() + 14.5), column);
    const QRect top(text.left(), rect.top() + 6, text.width() - kArrowSpace / 2, 16);
    painter->drawText(top, Qt::AlignVCenter,
                      painter->fontMetrics().elidedText(title, Qt::ElideMiddle, top.width()));
    const QRect bottom(text.left(), rect.top() + 23, text.width(), 16);
    const auto count = static_cast<std::int64_t>(component->values.size());
    painter->setFont(textFont(TextSize::Caption, component->differsIn > 0));
    painter->setPen(component->differsIn > 0 ? theme.miss.text : theme.muted);
    const QString values = pluralText(count, tr("value"), tr("values"));
    painter->drawText(bottom, Qt::AlignVCenter, values);
    const int left = bottom.left() + painter->fontMetrics().horizontalAdvance(values) + 8;
    if (component->isNumeric && count > 3 && bottom.right() - left > 24)
        paintHistogram(painter, QRect(left, rect.top() + 24, bottom.right() - left, 15), *component);
    painter->restore();
}

void SignaturesHeader::paintHistogram(QPainter* painter, QRect area, const KeyComponent& column) const {
    const std::size_t bars =
        std::min<std::size_t>({column.values.size(), kMostBars, static_cast<std::size_t>(area.width() / 4)});
    std::vector<std::int64_t> calls(bars, 0);
    for (std::size_t i = 0; i < column.values.size(); ++i)
        calls[i * bars / column.values.size()] += column.values[i].second;
    const std::int64_t tallest = std::max<std::int64_t>(1, *std::ranges::max_element(calls));
    const double step = static_cast<double>(area.width()) / static_cast<double>(bars);
    for (std::size_t i = 0; i < bars; ++i) {
        const int height = std::max(1, static_cast<int>(area.height() * calls[i] / tallest));
        painter->fillRect(QRect(area.left() + static_cast<int>(static_cast<double>(i) * step),
                                area.bottom() - height + 1, std::max(1, static_cast<int>(step) - 1), height),
                          m_state.theme().miss.fill);
    }
}

SignaturesDelegate::SignaturesDelegate(ViewState& state, SignaturesModel& model, QObject* parent)
    : QStyledItemDelegate(parent), m_state(state), m_model(model) {}

QString SignaturesDelegate::fixedText(const QModelIndex& index) const {
    const QVariant value = index.data(Qt::DisplayRole);
    if (!value.isValid())
        return {};
    if (index.column() == m_model.content()->whyColumn())
        return value.toString();
    const std::int64_t n = value.toLongLong();
    const bool isCall = m_model.row(index).isCall;
    const bool nested = index.parent().isValid();
    const auto time = [&] {
        return n == session::kNotRecorded ? durationText(n)
                                          : timeUnitFor(m_model.content()->largestNs(index.column())).text(n);
    };
    if (index.column() == m_model.content()->traceColumn())
        return isCall && n == 0 ? QStringLiteral("0") : time();
    switch (index.column()) {
    case SignatureRows::First:
        return nested ? tr("call %1").arg(countText(n)) : countText(n);
    case SignatureRows::Second:
        return isCall ? time() : tr("call %1").arg(countText(n));
    case SignatureRows::Third:
        return nested ? QString() : countText(n);
    case SignatureRows::Fourth:
        return isCall ? time() : countText(n);
    default:
        return {};
    }
}

int SignaturesDelegate::cellWidth(const QModelIndex& index) const {
    if (m_model.content()->component(index.column()) == nullptr)
        return QFontMetrics(textFont(TextSize::Body, true))
                   .horizontalAdvance(index.column() == 0 ? firstText(index) : fixedText(index)) +
               2 * kPadding + (index.column() == 0 ? kGlyphSpace + 48 : 0);
    int width = QFontMetrics(codeFont(TextSize::Body, true)).horizontalAdvance(index.data().toString()) +
                2 * kPadding + 4;
    if (const QVariant was = index.data(SignaturesModel::WasRole); was.isValid())
        width +=
            QFontMetrics(textFont(TextSize::Caption)).horizontalAdvance(tr("was %1").arg(was.toString())) + 8;
    return width;
}

void SignaturesDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                               const QModelIndex& index) const {
    const Theme& theme = m_state.theme();
    const bool selected = option.state & QStyle::State_Selected;
    painter->save();
    painter->setClipRect(option.rect);
    if (selected)
        painter->fillRect(option.rect, theme.accentTint);
    else if (option.state & QStyle::State_MouseOver)
        painter->fillRect(option.rect, theme.hover);
    else if (index.parent().isValid())
        painter->fillRect(option.rect, theme.raised);
    else if (option.features & QStyleOptionViewItem::Alternate)
        painter->fillRect(option.rect, theme.alt);
    if (m_model.content()->component(index.column()) != nullptr) {
        paintComponent(painter, option.rect, index);
    } else if (index.column() == 0) {
        paintFirst(painter, option.rect, index);
    } else {
        painter->setFont(textFont(TextSize::Body));
        painter->setPen(index.parent().isValid() ? theme.muted : theme.text);
        const QRect area = option.rect.adjusted(kPadding, 0, -kPadding, 0);
        const bool isText = index.column() == m_model.content()->whyColumn(); // numbers are never cut
        painter->drawText(
            area,
            Qt::AlignVCenter | (isRightAligned(m_model, index.column()) ? Qt::AlignRight : Qt::AlignLeft),
            isText ? painter->fontMetrics().elidedText(fixedText(index), Qt::ElideRight, area.width())
                   : fixedText(index));
    }
    painter->restore();
}

void SignaturesDelegate::paintFirst(QPainter* painter, QRect cell, const QModelIndex& index) const {
    const Theme& theme = m_state.theme();
    const session::Session& session = *m_state.session();
    const SignatureRows::Row row = m_model.row(index);
    Glyph glyph = Glyph::Unknown;
    if (row.isCall)
        glyph = glyphOfCall(session, row.call, row.miss);
    else if (row.miss.isValid())
        glyph = glyphOfMiss(session[row.miss]);
    paintGlyph(*painter, glyph, QPointF(cell.left() + kPadding + 4, cell.center().y() + 0.5), 11, theme);
    QFont font = textFont(TextSize::Body, !index.parent().isValid());
    const bool dead =
        !row.isCall && row.entry.isValid() && session[row.entry].state != session::EntryState::Alive;
    font.setStrikeOut(dead);
    painter->setFont(font);
    painter->setPen(dead ? theme.muted : theme.text);
    painter->drawText(cell.adjusted(kPadding + kGlyphSpace, 0, -4, 0), Qt::AlignVCenter, firstText(index));
}

/// The number of an entry or a call; a miss that left nothing has none.
QString SignaturesDelegate::firstText(const QModelIndex& index) const {
    const SignatureRows::Row row = m_model.row(index);
    if (row.isCall || row.entry.isValid())
        return fixedText(index);
    return row.miss.isValid() && (*m_state.session())[row.miss].withdrawn ? tr("withdrawn") : tr("failed");
}

void SignaturesDelegate::paintComponent(QPainter* painter, QRect cell, const QModelIndex& index) const {
    const Theme& theme = m_state.theme();
    const bool nested = index.parent().isValid();
    const bool differs = m_marking && index.data(SignaturesModel::DiffersRole).toBool() && !nested;
    if (differs) {
        const QRect tint = cell.adjusted(2, 2, -3, -2);
        painter->fillRect(tint, theme.miss.tint);
        painter->fillRect(QRect(tint.left(), tint.top(), 3, tint.height()), theme.miss.fill);
    }
    painter->setFont(codeFont(TextSize::Body, differs));
    painter->setPen(differs ? theme.miss.text : theme.muted);
    const QRect area = cell.adjusted(kPadding + (differs ? 2 : 0), 0, -6, 0);
    const QString shown =
        painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideMiddle, area.width());
    painter->drawText(area, Qt::AlignVCenter, shown);
    if (!differs)
        return;
    const int left = area.left() + painter->fontMetrics().horizontalAdvance(shown) + 7;
    painter->setFont(textFont(TextSize::Caption));
    painter->setPen(theme.isDark() ? theme.muted : theme.text);
    const QRect rest(left, area.top(), area.right() - left, area.height());
    if (rest.width() > 20)
        painter->drawText(rest, Qt::AlignVCenter,
                          painter->fontMetrics().elidedText(
                              tr("was %1").arg(index.data(SignaturesModel::WasRole).toString()),
                              Qt::ElideMiddle, rest.width()));
}

} // namespace retracescope::views
