#pragma once

#include <vector>

#include <QString>

#include <retracescope/session/session.h>

namespace retracescope::views {

/// "x.shape[0]" as a column title: "x axis 0"; "x.dtype" -> "x dtype"; "flag.value" -> "flag".
QString argumentLabel(std::string_view path);

/// One component of a request beside the same one of an entry's key.
struct ComparedComponent {
    std::string path;
    QString request;      ///< "none" if the request lacks it
    QString stored;       ///< "open" if the entry accepts any value; "none" if it lacks it
    bool differs = false; ///< keeps the entry from serving the request
};

/// All components of both keys in the order of the arguments.
std::vector<ComparedComponent> compareKeys(const session::Session& session, session::SignatureId request,
                                           session::SignatureId stored);

/// What a component shows in a table: its value, "open" for one that accepts any.
QString componentText(const types::Component& component);

/// The component of that path, or none.
const types::Component* findComponent(const session::Signature& signature, std::string_view path);

} // namespace retracescope::views
