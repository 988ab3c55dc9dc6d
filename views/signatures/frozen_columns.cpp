#include "views/signatures/frozen_columns.h"

#include <QEvent>
#include <QPainter>
#include <QScrollBar>
#include <QWheelEvent>

#include "views/shared/data_table.h"

namespace retracescope::views {

FrozenColumns::FrozenColumns(ViewState& state, SignaturesModel& model, QTreeView& table,
                             SignaturesHeader& header)
    : QTreeView(&table), m_state(state), m_table(table), m_tableHeader(header),
      m_header(new SignaturesHeader(state, model)) {
    setModel(&model);
    setSelectionModel(table.selectionModel());
    setHeader(m_header);
    m_header->setSectionsClickable(true); // setHeader() takes it away
    m_header->setSectionsMovable(false);
    m_header->setStretchLastSection(false);
    setItemDelegate(table.itemDelegate());
    configureItemView(this);
    setUniformRowHeights(true);
    setIndentation(table.indentation());
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus);
    setProperty("frame", "none");
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("Signatures, first columns"));
    connect(verticalScrollBar(), &QScrollBar::valueChanged, table.verticalScrollBar(), &QScrollBar::setValue);
    connect(table.verticalScrollBar(), &QScrollBar::valueChanged, verticalScrollBar(), &QScrollBar::setValue);
    connect(&table, &QTreeView::expanded, this, &QTreeView::expand);
    connect(&table, &QTreeView::collapsed, this, &QTreeView::collapse);
    connect(this, &QTreeView::expanded, &table, &QTreeView::expand);
    connect(this, &QTreeView::collapsed, &table, &QTreeView::collapse);
    connect(&header, &QHeaderView::sectionResized, this, [this](int column, int, int size) {
        if (column < SignatureRows::FixedColumnCount)
            m_header->resizeSection(column, size);
        follow();
    });
    connect(m_header, &QHeaderView::sectionResized, this, [this](int column, int, int size) {
        if (column < SignatureRows::FixedColumnCount)
            m_tableHeader.resizeSection(column, size);
    });
    connect(&model, &QAbstractItemModel::modelReset, this, &FrozenColumns::hideComponents);
    connect(table.horizontalScrollBar(), &QScrollBar::rangeChanged, this, &FrozenColumns::follow);
    connect(table.horizontalScrollBar(), &QScrollBar::valueChanged, this, &FrozenColumns::follow);
    table.viewport()->installEventFilter(this);
    hideComponents();
}

void FrozenColumns::hideComponents() {
    for (int column = 0; column < model()->columnCount(); ++column)
        setColumnHidden(column, column >= SignatureRows::FixedColumnCount);
    follow();
}

/// Shown as soon as the table is scrolled; where all columns fit there is nothing to freeze.
void FrozenColumns::follow() {
    setRootIsDecorated(m_table.rootIsDecorated());
    int wide = 0;
    for (int column = 0; column < SignatureRows::FixedColumnCount; ++column)
        wide += m_tableHeader.sectionSize(column);
    const QRect inside = m_table.contentsRect();
    setGeometry(inside.left(), inside.top(), wide + 1, m_tableHeader.height() + m_table.viewport()->height());
    const bool isScrolled = m_table.horizontalScrollBar()->value() > 0;
    if (isScrolled && !isVisible()) {
        for (int row = 0; row < model()->rowCount(); ++row) {
            const QModelIndex index = model()->index(row, 0);
            setExpanded(index, m_table.isExpanded(index));
        }
        verticalScrollBar()->setValue(m_table.verticalScrollBar()->value());
    }
    setVisible(isScrolled);
    raise();
}

bool FrozenColumns::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize)
        follow();
    return QTreeView::eventFilter(watched, event);
}

void FrozenColumns::mousePressEvent(QMouseEvent* event) {
    QTreeView::mousePressEvent(event);
    m_table.setFocus(Qt::MouseFocusReason);
}

void FrozenColumns::wheelEvent(QWheelEvent* event) {
    const bool sideways = (event->modifiers() & Qt::AltModifier) != 0 ||
                          std::abs(event->angleDelta().x()) > std::abs(event->angleDelta().y());
    if (sideways)
        m_table.horizontalScrollBar()->setValue(m_table.horizontalScrollBar()->value() -
                                                event->angleDelta().x());
    else
        QTreeView::wheelEvent(event);
}

void FrozenColumns::paintEvent(QPaintEvent* event) {
    QTreeView::paintEvent(event);
    QPainter painter(viewport());
    painter.fillRect(QRect(viewport()->width() - 1, 0, 1, viewport()->height()), m_state.theme().line2);
}

} // namespace retracescope::views
