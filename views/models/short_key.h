#pragma once

#include <map>
#include <string>
#include <vector>

#include <QStringList>

#include <retracescope/session/session.h>

namespace retracescope::views {

/// Keys of one function's entries in short: "f32[2]  False". Only arguments in which the entries differ, the
/// one with most values first, and of these no more than it takes to tell the entries apart; a dtype only
/// where dtypes differ. All of a key if the entries differ in none.
class ShortKeys {
public:
    ShortKeys(const session::Session& session, const std::vector<session::EntryId>& entries);

    /// The arguments shown, in their order.
    const QStringList& arguments() const { return m_names; }

    QString of(session::SignatureId signature) const;
    QString named(session::SignatureId signature) const; ///< "x [2], flag False": each with its argument

private:
    struct Argument {
        bool dtypeDiffers = false;
        bool shapeDiffers = false;
        bool valueDiffers = false;
        std::size_t place = 0;  ///< in the key
        std::size_t values = 0; ///< how many different ones

        bool differs() const { return dtypeDiffers || shapeDiffers || valueDiffers; }
    };

    QStringList partsOf(session::SignatureId signature, bool named) const;
    void keepWhatIsNeeded(const std::vector<session::EntryId>& entries);
    QString textOf(const session::Signature& signature, const std::string& name,
                   const Argument& argument) const;

    const session::Session& m_session;
    std::map<std::string, Argument> m_arguments;
    std::vector<std::string> m_order; ///< of the arguments shown
    QStringList m_names;
};

/// "float32" as "f32", "bfloat16" as "bf16", "bool" as it is.
QString shortDtype(const QString& dtype);

} // namespace retracescope::views
