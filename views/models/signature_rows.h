#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <QVariant>

#include <retracescope/base/cancel.h>
#include <retracescope/diagnose/call_filter.h>

#include "views/models/key_components.h"

namespace retracescope::views {

enum class SignatureGrouping {
    Entries, ///< one row per concrete function, its calls below; then the misses whose trace failed
    Calls,   ///< one row per call, in time order
};

/// What the table of signatures shows, and in which order.
struct SignatureRequest {
    session::FunctionId function; ///< none: no rows
    SignatureGrouping grouping = SignatureGrouping::Entries;
    bool onlyMisses = false; ///< of the calls

    /// Rows by what a column shows, numbers as numbers, equal ones as they were made; -1 for the order in
    /// which they were made.
    int sortColumn = -1;
    Qt::SortOrder sortOrder = Qt::AscendingOrder;

    diagnose::FilterOutcome outcome =
        diagnose::FilterOutcome::Any; ///< of calls; of entries those that one of their calls had
};

/// Calls of one function against the components of their keys. Building it takes as long as the function has
/// calls, so it is made in a job; then it never changes. Rows hold ids, cells are looked up when asked for.
class SignatureRows {
public:
    enum FixedColumn {
        First,
        Second,
        Third,
        Fourth,
        FixedColumnCount
    }; ///< before the components; Trace and Why follow

    struct Row {
        session::EntryId entry;
        session::CallId call; ///< of an entry: the call that traced it
        session::MissId miss;
        bool isCall = false;   ///< else an entry or a miss whose trace failed
        std::int64_t hits = 0; ///< of an entry
    };

    SignatureRows() = default;
    /// Cancelled work leaves rows that nobody may show.
    SignatureRows(diagnose::DiagnosisPtr diagnosis, const SignatureRequest& request, const Job& job);

    const SignatureRequest& request() const { return m_request; }
    const std::vector<Row>& rows() const { return m_rows; } ///< the top ones
    std::int64_t hidden() const { return m_hidden; }        ///< rows that the filter leaves out
    std::size_t callCount(const Row& row) const;            ///< of an entry; else 0
    Row callRow(session::CallId call) const;
    Row callBelow(const Row& row, std::size_t position) const;
    /// Where a call is below its entry's row; none if it is not one of its calls.
    std::optional<std::size_t> positionBelow(const Row& row, session::CallId call) const;
    session::EntryId entryOf(session::CallId call) const;

    const std::vector<KeyComponent>& components() const { return m_components; }
    int traceColumn() const { return FixedColumnCount + static_cast<int>(m_components.size()); }
    int whyColumn() const { return traceColumn() + 1; }
    int columnCount() const { return whyColumn() + 1; }
    const KeyComponent* component(int column) const;     ///< none for the fixed ones
    std::int64_t retraces() const { return m_retraces; } ///< misses that had an entry to be compared with

    QString title(int column) const;
    bool isTime(int column) const; ///< its values are nanoseconds
    /// Of the times that a column shows of calls or entries the largest; 0 if it shows none.
    std::int64_t largestNs(int column) const;
    QVariant value(const Row& row, int column) const;
    /// The nearest entry's value, if the row's differs.
    std::optional<QString> was(const Row& row, const KeyComponent& column) const;

    /// The next top row (`by` 1; -1: the one before) behind `row` in which the component of `column` differs
    /// from the nearest entry, or any does where the column is none; -1 if there is none.
    int nextDiffering(int row, int by, int column) const;

    /// Rows as text with tabs, titles first; times in full, in nanoseconds.
    QString tabSeparated(const std::vector<Row>& rows, const Job& job) const;

private:
    void addCalls(const Job& job);
    void addEntries();
    void measure();
    void sort(const Job& job);
    session::SignatureId key(const Row& row) const;
    QVariant fixedValue(const Row& row, int column) const;
    QVariant traceValue(const Row& row) const;
    QVariant componentValue(const Row& row, const KeyComponent& column) const;

    diagnose::DiagnosisPtr m_diagnosis;
    SignatureRequest m_request;
    std::vector<Row> m_rows;
    std::vector<KeyComponent> m_components;
    std::int64_t m_retraces = 0;
    std::int64_t m_hidden = 0;
    std::int64_t m_latestNs = 0, m_longestCallNs = 0, m_longestTraceNs = 0;
};

using SignatureRowsPtr = std::shared_ptr<const SignatureRows>;

} // namespace retracescope::views
