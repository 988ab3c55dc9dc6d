#pragma once

#include <QAbstractListModel>

#include <retracescope/diagnose/overview.h>

namespace retracescope::views {

/// The findings in their order: ranked ones first, expected ones last.
class FindingsModel : public QAbstractListModel {
    Q_OBJECT

public:
    enum Role { CostRole = Qt::UserRole + 1, AvoidableRole, ExpectedRole, FunctionRole, DetailRole };

    explicit FindingsModel(QObject* parent = nullptr);

    void setDiagnosis(diagnose::DiagnosisPtr diagnosis);
    void setFilter(const QString& words); ///< part of a function's name, a title or a cause

    const diagnose::Finding& finding(int row) const;
    int rowOfMiss(session::MissId miss) const;             ///< -1 if no shown finding has it
    int rowOfFunction(session::FunctionId function) const; ///< its first finding
    int hiddenByFilter() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override; ///< DisplayRole: the title

private:
    void refill();

    diagnose::DiagnosisPtr m_diagnosis;
    QString m_filter;
    std::vector<std::size_t> m_rows; ///< into Diagnosis::findings
};

/// The counts of a finding for a place that names its function: "12 calls, 12 traces, 0 hits. ..."
QString findingCounts(const diagnose::Finding& finding);

} // namespace retracescope::views
