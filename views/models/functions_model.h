#pragma once

#include <vector>

#include <QAbstractTableModel>

#include <retracescope/diagnose/overview.h>

namespace retracescope::views {

/// One row per traced function: the raw numbers. Times in ns, hit rate in [0, 1] or -1 without calls, numbers
/// that the session does not tell session::kNotRecorded.
class FunctionsModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column {
        Name,
        Engine,
        Calls,
        Hits,
        Traces,
        HitRate,
        Avoidable,
        Tracing,
        Execute,
        MedianCall,
        P95Call,
        Entries,
        NeverHit,
        Errors,
        DefinedAt,
        ColumnCount
    };

    explicit FunctionsModel(QObject* parent = nullptr);

    void setDiagnosis(diagnose::DiagnosisPtr diagnosis); ///< none: no rows

    session::FunctionId function(int row) const;
    int row(session::FunctionId function) const; ///< -1 if there is none

    std::int64_t avoidableNs(session::FunctionId function) const;

    /// Sums of the columns that can be summed, by column; the others are invalid.
    std::vector<QVariant> totals() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QVariant value(const session::FunctionSummary& summary, int column) const;

    diagnose::DiagnosisPtr m_diagnosis;
    std::vector<std::int64_t> m_avoidableNs; ///< by FunctionId
};

} // namespace retracescope::views
