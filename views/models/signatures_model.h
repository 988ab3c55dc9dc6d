#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include <QAbstractItemModel>

#include "views/models/key_components.h"

namespace retracescope::views {

enum class SignatureGrouping {
    Entries, ///< one row per concrete function, its calls below; then the misses whose trace failed
    Calls,   ///< one row per call, in time order
};

/// Calls of one function against the components of their keys. The middle columns are the
/// components; rows hold ids, cells are looked up when asked for.
class SignaturesModel : public QAbstractItemModel {
    Q_OBJECT

public:
    enum FixedColumn {
        First,
        Second,
        Third,
        Fourth,
        FixedColumnCount
    }; ///< before the components; Trace and Why follow

    enum Role {
        DiffersRole = Qt::UserRole + 1, ///< bool: differs from the nearest earlier entry
        WasRole,                        ///< the nearest entry's value, if it differs
    };

    explicit SignaturesModel(QObject* parent = nullptr);

    void setContent(diagnose::DiagnosisPtr diagnosis, session::FunctionId function,
                    SignatureGrouping grouping, bool onlyMisses);

    const std::vector<KeyComponent>& components() const { return m_components; }
    int traceColumn() const { return FixedColumnCount + static_cast<int>(m_components.size()); }
    int whyColumn() const { return traceColumn() + 1; }
    /// The component of a column; none for the fixed ones.
    const KeyComponent* component(int column) const;

    bool isCall(const QModelIndex& index) const; ///< else an entry or a miss whose trace failed
    session::EntryId entry(const QModelIndex& index) const;
    session::CallId call(const QModelIndex& index) const; ///< of an entry: the call that traced it
    session::MissId miss(const QModelIndex& index) const;

    QModelIndex indexOfEntry(session::EntryId entry) const;
    QModelIndex indexOfCall(session::CallId call) const;

    /// The next top row (`by` 1; -1: the one before) behind `row` in which the component of `column` differs
    /// from the nearest entry, or any does where the column is none; -1 if there is none.
    int nextDiffering(int row, int by, int column) const;

    std::int64_t retraces() const { return m_retraces; } ///< misses that had an entry to be compared with

    /// Rows by what a column shows, numbers as numbers, equal ones as they were made; -1 for the order in
    /// which they were made. Calls below an entry keep their order.
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Row {
        session::EntryId entry;
        session::CallId call;
        session::MissId miss;
        bool isCall = false;
    };

    void buildRows(bool onlyMisses);
    Row rowOf(const QModelIndex& index) const;
    Row callRow(session::CallId call) const;
    session::SignatureId key(const Row& row) const;
    QVariant value(const Row& row, int column) const;
    QVariant fixedValue(const Row& row, int column) const;
    QVariant traceValue(const Row& row) const;
    QVariant componentValue(const Row& row, const KeyComponent& column) const;
    std::optional<QString> was(const Row& row, const KeyComponent& column) const;

    diagnose::DiagnosisPtr m_diagnosis;
    session::FunctionId m_function;
    SignatureGrouping m_grouping = SignatureGrouping::Entries;
    std::vector<Row> m_rows;
    std::vector<KeyComponent> m_components;
    std::unordered_map<std::uint32_t, session::MissId>
        m_missOfEntry; ///< by EntryId: the miss whose trace made it
    std::int64_t m_retraces = 0;
};

} // namespace retracescope::views
