#pragma once

#include <QAbstractTableModel>

#include <retracescope/base/cancel.h>
#include <retracescope/diagnose/overview.h>

namespace retracescope::views {

/// The concrete functions of one function: number, what tells its key from the others, calls served, median
/// call.
class EntriesModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Number, Key, Calls, Median, ColumnCount };

    explicit EntriesModel(QObject* parent = nullptr);

    struct Row {
        session::EntryId entry;
        QString key;
        std::int64_t calls = 0;
        std::int64_t medianNs = session::kNotRecorded;
    };

    /// The entries of one function. Reading them takes as long as it has calls, so it is done in a job.
    struct Content {
        diagnose::DiagnosisPtr diagnosis;
        QStringList arguments; ///< that the keys are made of
        std::vector<Row> rows;
    };

    static Content read(diagnose::DiagnosisPtr diagnosis, session::FunctionId function, const Job& job);

    /// The tooltip of a key is the whole signature; that of its title names the arguments it is made of.
    void setContent(Content content);

    session::EntryId entry(int row) const;
    int row(session::EntryId entry) const; ///< -1 if it is of another function

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    Content m_content;
};

} // namespace retracescope::views
