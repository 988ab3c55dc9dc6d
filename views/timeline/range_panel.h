#pragma once

#include <QAbstractTableModel>
#include <QComboBox>
#include <QLabel>
#include <QStackedWidget>
#include <QTimer>
#include <QWidget>

#include "views/shared/data_table.h"
#include "views/shared/latest_job.h"
#include "views/timeline/range_sums.h"

namespace retracescope::views {

/// The sums of a range as rows: functions, then what lies outside them.
class RangeModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Name, Calls, Hits, Traces, Tracing, Execute, Failed, Outside, Longest, Share, ColumnCount };

    explicit RangeModel(QObject* parent = nullptr);

    void setSums(TimelineModelPtr model, RangeSums sums); ///< null: no rows
    const RangeSums& sums() const { return m_sums; }
    session::FunctionId function(int row) const; ///< none for what lies outside
    std::vector<QVariant> totals() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    TimelineModelPtr m_model;
    RangeSums m_sums;
};

/// The events of a range by name.
class NamesModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Name, Events, Self, Total, Longest, Share, ColumnCount };

    explicit NamesModel(QObject* parent = nullptr);

    void setRows(TimelineModelPtr model, std::vector<NameRow> rows); ///< null: no rows
    const NameRow& row(int row) const { return m_rows[static_cast<std::size_t>(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    TimelineModelPtr m_model;
    std::vector<NameRow> m_rows;
    std::int64_t m_selfNs = 0; ///< of all
};

/// What happened in the selected range of time, by function or by the names of events; without one, in the
/// whole session.
class RangePanel : public QWidget {
    Q_OBJECT

public:
    explicit RangePanel(ViewState& state, QWidget* parent = nullptr);

    void setModel(TimelineModelPtr model);

    const RangeModel& sums() const { return *m_sums; }
    DataTable& table() { return *m_table; }
    const NamesModel& names() const { return *m_names; }
    DataTable& namesTable() { return *m_namesTable; }
    bool isByName() const { return m_by->currentIndex() == 1; }
    bool isSettled() const { return !m_job.isRunning() && !m_delay.isActive(); }

Q_SIGNALS:
    void zoomWanted(const TimeRange& range);

private:
    void update();
    struct Sums {
        RangeSums functions;
        std::vector<NameRow> names;
    };

    void show(Sums sums);

    ViewState& m_state;
    TimelineModelPtr m_model;
    RangeModel* m_sums;
    DataTable* m_table;
    NamesModel* m_names;
    DataTable* m_namesTable;
    QComboBox* m_by;
    QStackedWidget* m_tables;
    QLabel* m_caption;
    QPushButton* m_zoom;
    QTimer m_delay; ///< while an edge of the range is dragged
    LatestJob m_job;
    std::optional<TimeRange> m_shown; ///< the range of the sums
};

} // namespace retracescope::views
