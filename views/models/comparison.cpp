#include "views/models/comparison.h"

#include <algorithm>

#include <QCoreApplication>
#include <QRegularExpression>

namespace retracescope::views {

namespace {

QString fromUtf8(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString tr(const char* text) {
    return QCoreApplication::translate("Comparison", text);
}

} // namespace

QString argumentLabel(std::string_view path) {
    QString text = fromUtf8(path);
    static const QRegularExpression axis(QStringLiteral("^(.*)\\.shape\\[(\\d+)\\]$"));
    if (const auto match = axis.match(text); match.hasMatch())
        return tr("%1 axis %2").arg(match.captured(1), match.captured(2));
    static const QRegularExpression last(QStringLiteral("^(.*)\\.(\\w+)$"));
    const auto match = last.match(text);
    if (!match.hasMatch())
        return text;
    if (match.captured(2) == QLatin1String("value"))
        return match.captured(1);
    const QString word = match.captured(2) == QLatin1String("len") ? tr("length") : match.captured(2);
    return QStringLiteral("%1 %2").arg(match.captured(1), word);
}

QString componentText(const types::Component& component) {
    return component.open ? tr("open") : fromUtf8(component.value);
}

const types::Component* findComponent(const session::Signature& signature, std::string_view path) {
    const auto it = std::ranges::find(signature.components, path, &types::Component::path);
    return it == signature.components.end() ? nullptr : &*it;
}

std::vector<ComparedComponent> compareKeys(const session::Session& session, session::SignatureId request,
                                           session::SignatureId stored) {
    const session::Signature none;
    const session::Signature& asked = request.isValid() ? session[request] : none;
    const session::Signature& kept = stored.isValid() ? session[stored] : none;
    const auto blocking = types::blockingDifferences(asked.components, kept.components);
    std::vector<ComparedComponent> rows;
    for (const types::Component& component : asked.components) {
        const types::Component* other = findComponent(kept, component.path);
        rows.push_back(
            {component.path, componentText(component), other != nullptr ? componentText(*other) : tr("none"),
             std::ranges::find(blocking, component.path, &types::Difference::path) != blocking.end()});
    }
    for (const types::Component& component : kept.components) {
        if (findComponent(asked, component.path) == nullptr)
            rows.push_back(
                {component.path, tr("none"), componentText(component),
                 std::ranges::find(blocking, component.path, &types::Difference::path) != blocking.end()});
    }
    return rows;
}

} // namespace retracescope::views
