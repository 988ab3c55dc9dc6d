#pragma once

#include <QTreeView>

#include "views/signatures/signatures_table.h"

namespace retracescope::views {

/// The first columns of the signature table once more, on top of it: they stay where they are while the
/// components scroll sideways. Shares model, selection, delegate and open rows with the table.
class FrozenColumns : public QTreeView {
    Q_OBJECT

public:
    FrozenColumns(ViewState& state, SignaturesModel& model, QTreeView& table, SignaturesHeader& header);

    SignaturesHeader& ownHeader() { return *m_header; }

    /// After the table's columns or its place have changed.
    void follow();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void hideComponents();

    ViewState& m_state;
    QTreeView& m_table;
    SignaturesHeader& m_tableHeader;
    SignaturesHeader* m_header;
};

} // namespace retracescope::views
