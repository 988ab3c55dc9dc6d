#include "views/models/functions_model.h"

#include <algorithm>

namespace retracescope::views {

namespace {

QString fromUtf8(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QVariant number(std::int64_t value) {
    return QVariant::fromValue<qlonglong>(value);
}

} // namespace

FunctionsModel::FunctionsModel(QObject* parent) : QAbstractTableModel(parent) {}

void FunctionsModel::setDiagnosis(diagnose::DiagnosisPtr diagnosis) {
    beginResetModel();
    m_diagnosis = std::move(diagnosis);
    m_avoidableNs = m_diagnosis ? diagnose::avoidableByFunction(*m_diagnosis) : std::vector<std::int64_t>{};
    endResetModel();
}

session::FunctionId FunctionsModel::function(int row) const {
    return m_diagnosis->functions[static_cast<std::size_t>(row)].function;
}

int FunctionsModel::row(session::FunctionId function) const {
    for (int row = 0; row < rowCount(); ++row) {
        if (this->function(row) == function)
            return row;
    }
    return -1;
}

std::int64_t FunctionsModel::avoidableNs(session::FunctionId function) const {
    return m_avoidableNs[function.value];
}

std::vector<QVariant> FunctionsModel::totals() const {
    std::vector<QVariant> result(ColumnCount);
    if (rowCount() == 0)
        return {};
    result[Name] = tr("All functions");
    for (const Column column :
         {Calls, Hits, Traces, Avoidable, Tracing, Execute, Entries, NeverHit, Errors}) {
        std::int64_t sum = session::kNotRecorded;
        for (int row = 0; row < rowCount(); ++row) {
            const qlonglong value = index(row, column).data().toLongLong();
            if (value != session::kNotRecorded)
                sum = std::max<std::int64_t>(sum, 0) + value;
        }
        result[column] = number(sum);
    }
    return result;
}

int FunctionsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !m_diagnosis ? 0 : static_cast<int>(m_diagnosis->functions.size());
}

int FunctionsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant FunctionsModel::data(const QModelIndex& index, int role) const {
    if (role != Qt::DisplayRole || !index.isValid())
        return {};
    return value(m_diagnosis->functions[static_cast<std::size_t>(index.row())], index.column());
}

QVariant FunctionsModel::value(const session::FunctionSummary& summary, int column) const {
    const session::Session& session = *m_diagnosis->session;
    const session::Function& function = session[summary.function];
    switch (column) {
    case Name:
        return fromUtf8(m_diagnosis->names[summary.function.value]);
    case Engine:
        return fromUtf8(session.text(function.engine));
    case Calls:
        return number(summary.calls);
    case Hits:
        return number(summary.hits);
    case Traces:
        return number(summary.traces);
    case HitRate:
        return summary.calls == 0 ? -1.0
                                  : static_cast<double>(summary.hits) / static_cast<double>(summary.calls);
    case Avoidable:
        return number(summary.tracingNs == session::kNotRecorded ? session::kNotRecorded
                                                                 : m_avoidableNs[summary.function.value]);
    case Tracing:
        return number(summary.tracingNs);
    case Execute:
        return number(summary.executeNs);
    case MedianCall:
        return number(summary.medianCallNs);
    case P95Call:
        return number(summary.p95CallNs);
    case Entries:
        return number(summary.entries);
    case NeverHit:
        return number(summary.neverHit);
    case Errors:
        return number(summary.errors);
    case DefinedAt: {
        const QString path = fromUtf8(session.text(function.file));
        const QString name = path.mid(path.lastIndexOf(QLatin1Char('/')) + 1);
        return function.line == 0 || name.isEmpty() ? name
                                                    : QStringLiteral("%1:%2").arg(name).arg(function.line);
    }
    default:
        return {};
    }
}

QVariant FunctionsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Horizontal && role == Qt::ToolTipRole &&
        (section == MedianCall || section == P95Call))
        return section == MedianCall ? tr("Median of the time per call")
                                     : tr("95 % of the calls took this long or less");
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Name:
        return tr("Function");
    case Engine:
        return tr("Engine");
    case Calls:
        return tr("Calls");
    case Hits:
        return tr("Hits");
    case Traces:
        return tr("Traces");
    case HitRate:
        return tr("Hit rate");
    case Avoidable:
        return tr("Avoidable");
    case Tracing:
        return tr("Tracing");
    case Execute:
        return tr("Calls without tracing");
    case MedianCall:
        return tr("Median");
    case P95Call:
        return tr("p95");
    case Entries:
        return tr("Entries");
    case NeverHit:
        return tr("Never hit");
    case Errors:
        return tr("Failed");
    case DefinedAt:
        return tr("Defined at");
    default:
        return {};
    }
}

} // namespace retracescope::views
