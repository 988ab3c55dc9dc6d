#include "views/models/event_facts.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace retracescope::views {

namespace {

constexpr std::size_t kMostArguments = 40;
constexpr int kLongestArgument = 400; // letters

QString fromUtf8(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString compact(const QJsonValue& value) {
    if (value.isObject())
        return QString::fromUtf8(QJsonDocument(value.toObject()).toJson(QJsonDocument::Compact));
    if (value.isArray())
        return QString::fromUtf8(QJsonDocument(value.toArray()).toJson(QJsonDocument::Compact));
    return value.toVariant().toString();
}

/// Members of a JSON object; other text is one argument.
std::vector<std::pair<QString, QString>> argumentsOf(const QString& json) {
    std::vector<std::pair<QString, QString>> arguments;
    if (json.isEmpty())
        return arguments;
    const QJsonObject object = QJsonDocument::fromJson(json.toUtf8()).object();
    for (auto it = object.begin(); it != object.end() && arguments.size() < kMostArguments; ++it)
        arguments.emplace_back(it.key(), compact(it.value()).left(kLongestArgument));
    if (object.isEmpty() && json != QLatin1String("{}"))
        arguments.emplace_back(QCoreApplication::translate("EventFacts", "as written"),
                               json.left(kLongestArgument));
    return arguments;
}

} // namespace

EventFacts factsOf(const session::Session& session, const session::EventRef& event) {
    EventFacts facts;
    session::StringId name, category, args;
    if (event.kind == session::EventKind::Span) {
        name = session.spans.name[event.row];
        category = session.spans.category[event.row];
        args = session.spans.args[event.row];
        facts.lane = session.spans.lane[event.row];
        facts.startNs = session.spans.startNs[event.row];
        facts.durationNs = session.spans.durationNs[event.row];
    } else if (event.kind == session::EventKind::Kernel) {
        name = session.kernels.name[event.row];
        facts.lane = session.kernels.lane[event.row];
        facts.startNs = session.kernels.startNs[event.row];
        facts.durationNs = session.kernels.durationNs[event.row];
    } else if (event.kind == session::EventKind::Instant) {
        name = session.instants.name[event.row];
        args = session.instants.args[event.row];
        facts.lane = session.instants.lane[event.row];
        facts.startNs = session.instants.timeNs[event.row];
    }
    facts.name = fromUtf8(session.text(name));
    if (facts.name.isEmpty())
        facts.name = QCoreApplication::translate("EventFacts", "unnamed event");
    facts.category = fromUtf8(session.text(category));
    facts.arguments = argumentsOf(fromUtf8(session.text(args)));
    return facts;
}

} // namespace retracescope::views
