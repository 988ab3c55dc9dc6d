#include "views/models/findings_model.h"

#include <algorithm>

namespace retracescope::views {

namespace {

QString fromUtf8(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

} // namespace

QString findingCounts(const diagnose::Finding& finding) {
    const QString detail = QString::fromStdString(finding.detail);
    const QString name = fromUtf8(finding.name) + QStringLiteral(": ");
    return detail.startsWith(name) ? detail.mid(name.size()) : detail;
}

FindingsModel::FindingsModel(QObject* parent) : QAbstractListModel(parent) {}

void FindingsModel::setDiagnosis(diagnose::DiagnosisPtr diagnosis) {
    m_diagnosis = std::move(diagnosis);
    refill();
}

void FindingsModel::setFilter(const QString& words) {
    m_filter = words.trimmed();
    refill();
}

void FindingsModel::refill() {
    beginResetModel();
    m_rows.clear();
    for (std::size_t i = 0; m_diagnosis && i < m_diagnosis->findings.size(); ++i) {
        const diagnose::Finding& finding = m_diagnosis->findings[i];
        const QString text = fromUtf8(finding.name) + QLatin1Char('\n') +
                             QString::fromStdString(finding.title) + QLatin1Char('\n') +
                             fromUtf8(types::missKindName(finding.cause));
        if (m_filter.isEmpty() || text.contains(m_filter, Qt::CaseInsensitive))
            m_rows.push_back(i);
    }
    endResetModel();
}

const diagnose::Finding& FindingsModel::finding(int row) const {
    return m_diagnosis->findings[m_rows[static_cast<std::size_t>(row)]];
}

int FindingsModel::rowOfMiss(session::MissId miss) const {
    for (int row = 0; miss.isValid() && row < rowCount(); ++row) {
        if (std::ranges::find(finding(row).misses, miss) != finding(row).misses.end())
            return row;
    }
    return -1;
}

int FindingsModel::rowOfFunction(session::FunctionId function) const {
    // A finding of functions that one line made names the first of them.
    const auto isOfIt = [&](session::MissId miss) {
        return (*m_diagnosis->session)[miss].function == function;
    };
    for (int row = 0; function.isValid() && row < rowCount(); ++row) {
        if (std::ranges::any_of(finding(row).misses, isOfIt))
            return row;
    }
    return -1;
}

int FindingsModel::hiddenByFilter() const {
    return m_diagnosis ? static_cast<int>(m_diagnosis->findings.size() - m_rows.size()) : 0;
}

int FindingsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QVariant FindingsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const diagnose::Finding& row = finding(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return QString::fromStdString(row.title);
    case CostRole:
        return QVariant::fromValue<qlonglong>(row.costNs);
    case AvoidableRole:
        return QVariant::fromValue<qlonglong>(row.avoidableNs);
    case ExpectedRole:
        return row.expected;
    case FunctionRole:
        return fromUtf8(row.name);
    case DetailRole:
        return findingCounts(row);
    default:
        return {};
    }
}

} // namespace retracescope::views
