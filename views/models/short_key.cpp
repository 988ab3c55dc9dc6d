#include "views/models/short_key.h"

#include <algorithm>
#include <set>

#include <QRegularExpression>

namespace retracescope::views {

namespace {

QString fromUtf8(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// "x" of "x.shape[0]".
std::string argumentOf(const std::string& path) {
    return path.substr(0, path.find_last_of('.'));
}

bool isShape(types::ComponentKind kind) {
    return kind == types::ComponentKind::Rank || kind == types::ComponentKind::Dimension;
}

} // namespace

QString shortDtype(const QString& dtype) {
    static const QRegularExpression pattern(QStringLiteral("^(bf|f|i|u|c)[a-z]*?(\\d+)$"));
    const QRegularExpressionMatch match = pattern.match(dtype);
    return match.hasMatch() ? match.captured(1) + match.captured(2) : dtype;
}

ShortKeys::ShortKeys(const session::Session& session, const std::vector<session::EntryId>& entries)
    : m_session(session) {
    std::map<std::string, std::set<std::string>> valuesOfPath;
    std::map<std::string, std::set<std::string>> valuesOfArgument;
    std::map<std::string, std::size_t> seen; // by path
    std::map<std::string, types::ComponentKind> kinds;
    std::size_t known = 0; // entries with a signature
    for (const session::EntryId entry : entries) {
        if (!session[entry].signature.isValid())
            continue;
        ++known;
        std::map<std::string, std::string> whole;
        for (const types::Component& component : session[session[entry].signature].components) {
            const std::string name = argumentOf(component.path);
            const auto [argument, isNew] = m_arguments.try_emplace(name);
            if (isNew)
                argument->second.place = m_arguments.size();
            valuesOfPath[component.path].insert(component.open ? "?" : component.value);
            kinds[component.path] = component.kind;
            ++seen[component.path];
            whole[name] += component.value + '\n';
        }
        for (const auto& [name, text] : whole)
            valuesOfArgument[name].insert(text);
    }
    for (const auto& [path, values] : valuesOfPath) {
        if (values.size() < 2 && seen[path] == known)
            continue;
        Argument& argument = m_arguments[argumentOf(path)];
        argument.dtypeDiffers |= kinds[path] == types::ComponentKind::Dtype;
        argument.shapeDiffers |= isShape(kinds[path]);
        argument.valueDiffers |= kinds[path] != types::ComponentKind::Dtype && !isShape(kinds[path]);
    }
    const bool any = std::ranges::any_of(m_arguments, [](const auto& a) { return a.second.differs(); });
    for (auto& [name, argument] : m_arguments) {
        argument.values = valuesOfArgument[name].size();
        if (!any)
            argument.dtypeDiffers = argument.shapeDiffers = argument.valueDiffers = true;
        if (argument.differs())
            m_order.push_back(name);
    }
    std::ranges::sort(m_order, [&](const std::string& a, const std::string& b) {
        const Argument& left = m_arguments.at(a);
        const Argument& right = m_arguments.at(b);
        return left.values != right.values ? left.values > right.values : left.place < right.place;
    });
    keepWhatIsNeeded(entries);
    for (const std::string& name : m_order)
        m_names += fromUtf8(name);
}

/// Leaves out the last arguments as long as no two keys become equal by it.
void ShortKeys::keepWhatIsNeeded(const std::vector<session::EntryId>& entries) {
    const auto different = [&] {
        std::set<QString> keys;
        for (const session::EntryId entry : entries)
            keys.insert(of(m_session[entry].signature));
        return keys.size();
    };
    const std::size_t all = different();
    while (m_order.size() > 1 && all > 1) {
        const std::string last = m_order.back();
        m_order.pop_back();
        if (different() < all) {
            m_order.push_back(last);
            return;
        }
    }
}

QString ShortKeys::of(session::SignatureId signature) const {
    return partsOf(signature, false).join(QStringLiteral("  "));
}

QString ShortKeys::named(session::SignatureId signature) const {
    return partsOf(signature, true).join(QStringLiteral(", "));
}

QStringList ShortKeys::partsOf(session::SignatureId signature, bool named) const {
    QStringList parts;
    for (const std::string& name : m_order) {
        if (!signature.isValid())
            break;
        const QString text = textOf(m_session[signature], name, m_arguments.at(name));
        if (!text.isEmpty())
            parts += named ? QStringLiteral("%1 %2").arg(fromUtf8(name), text) : text;
    }
    return parts;
}

QString ShortKeys::textOf(const session::Signature& signature, const std::string& name,
                          const Argument& argument) const {
    QString dtype;
    QString value;
    QStringList axes;
    bool isTensor = false;
    bool openRank = false;
    for (const types::Component& component : signature.components) {
        if (argumentOf(component.path) != name)
            continue;
        const QString text = component.open ? QStringLiteral("?") : fromUtf8(component.value);
        switch (component.kind) {
        case types::ComponentKind::Dtype:
            dtype = shortDtype(text);
            isTensor = true;
            break;
        case types::ComponentKind::Dimension:
            axes += text;
            break;
        case types::ComponentKind::Rank:
            openRank = component.open;
            break;
        case types::ComponentKind::Type:
            break; // the dtype, the value or the length tells it
        default:
            value = value.isEmpty() ? text : value + QLatin1Char(' ') + text;
        }
    }
    if (!isTensor)
        return value;
    const QString shape =
        openRank ? QStringLiteral("[…]") : QStringLiteral("[%1]").arg(axes.join(QLatin1Char(',')));
    const QString tensor = argument.dtypeDiffers || !argument.shapeDiffers ? dtype + shape : shape;
    return argument.valueDiffers && !value.isEmpty() && value != QLatin1String("None")
               ? tensor + QLatin1Char(' ') + value
               : tensor;
}

} // namespace retracescope::views
