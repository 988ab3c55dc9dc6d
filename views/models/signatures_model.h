#pragma once

#include <QAbstractItemModel>

#include "views/models/signature_rows.h"

namespace retracescope::views {

/// SignatureRows for Qt's tables: rows, and the calls of an entry below it.
class SignaturesModel : public QAbstractItemModel {
    Q_OBJECT

public:
    using Row = SignatureRows::Row;

    enum Role {
        DiffersRole = Qt::UserRole + 1, ///< bool: differs from the nearest earlier entry
        WasRole,                        ///< the nearest entry's value, if it differs
    };

    explicit SignaturesModel(QObject* parent = nullptr);

    void setContent(SignatureRowsPtr content);
    const SignatureRowsPtr& content() const { return m_content; }

    Row row(const QModelIndex& index) const;

    QModelIndex indexOfEntry(session::EntryId entry) const;
    QModelIndex indexOfCall(session::CallId call) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    SignatureRowsPtr m_content;
};

} // namespace retracescope::views
