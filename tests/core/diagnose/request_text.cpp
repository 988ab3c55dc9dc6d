#include "tests/core/diagnose/request_text.h"

#include <QRegularExpression>

namespace retracescope::test {

using types::Component;
using types::ComponentKind;

namespace {

using Components = std::vector<Component>;

/// "float32[2,None]".
Components tensorFrom(const std::string& name, const QString& spec) {
    std::vector<int> shape;
    for (const QString& axis : spec.section('[', 1).chopped(1).split(',', Qt::SkipEmptyParts))
        shape.push_back(axis == "None" ? -1 : axis.toInt());
    return tensorArgument(name, spec.section('[', 0, 0).toStdString(), shape);
}

/// "{a:float32[2];b:int32[]}".
Components dictFrom(const std::string& name, const QString& text) {
    const QStringList items = text.mid(1).chopped(1).split(';', Qt::SkipEmptyParts);
    QStringList keys;
    for (const QString& item : items)
        keys << item.section(':', 0, 0);
    Components result{{name + ".type", ComponentKind::Type, "dict"},
                      {name + ".keys", ComponentKind::Keys, keys.join(", ").toStdString()}};
    for (const QString& item : items)
        result = result +
                 tensorFrom(name + "['" + item.section(':', 0, 0).toStdString() + "']", item.section(':', 1));
    return result;
}

/// "[float32[2];float32[3]]".
Components listFrom(const std::string& name, const QString& text) {
    const QStringList items = text.mid(1).chopped(1).split(';', Qt::SkipEmptyParts);
    Components result{{name + ".type", ComponentKind::Type, "list"},
                      {name + ".len", ComponentKind::Length, std::to_string(items.size())}};
    for (qsizetype i = 0; i < items.size(); ++i)
        result = result + tensorFrom(name + "[" + std::to_string(i) + "]", items[i]);
    return result;
}

Components argumentFrom(const std::string& name, const QString& what) {
    if (what.startsWith('{'))
        return dictFrom(name, what);
    if (what.startsWith('['))
        return listFrom(name, what);
    const std::string type = what.section(QRegularExpression("[:@]"), 0, 0).toStdString();
    const std::string value = what.mid(static_cast<int>(type.size()) + 1).toStdString();
    if (type == "tensor")
        return tensorFrom(name, what.section(':', 1));
    if (type == "list")
        return {{name + ".type", ComponentKind::Type, type}, {name + ".len", ComponentKind::Length, value}};
    if (type == "dict")
        return {{name + ".type", ComponentKind::Type, type}, {name + ".keys", ComponentKind::Keys, value}};
    if (type == "ambient")
        return {{"ambient." + name, ComponentKind::Context, value}};
    if (type == "alias")
        return {{name + ".alias", ComponentKind::Alias, value}};
    if (type == "device")
        return {{name + ".device", ComponentKind::Placement, value}};
    if (what.contains('@'))
        return {{name + ".type", ComponentKind::Type, type},
                {name + ".identity", ComponentKind::Identity, value}};
    return literalArgument(name, type, value);
}

} // namespace

std::vector<Component> request(const QString& text) {
    Components result;
    for (const QString& part : text.split(' ', Qt::SkipEmptyParts))
        result = result + argumentFrom(part.section('=', 0, 0).toStdString(), part.section('=', 1));
    return result;
}

session::SessionPtr callsOf(const QString& calls, SessionBuilder& builder) {
    const session::FunctionId f = builder.function("f", "x, n", "train.cpp", 12);
    for (const QString& call : calls.split('|'))
        builder.call(f, request(call));
    return builder.finish();
}

} // namespace retracescope::test
