#include "app/gui/options.h"

#include <QRegularExpression>

#include "app/gui/view_list.h"

namespace retracescope::gui {

namespace {

Error wrongUse(const QString& message) {
    return {message.toStdString()};
}

Result<SelectOption> parseSelect(const QString& text) {
    SelectOption select;
    for (const QString& part : text.split(QLatin1Char(','))) {
        const QString key = part.section(QLatin1Char('='), 0, 0);
        const QString value = part.section(QLatin1Char('='), 1);
        bool isNumber = false;
        const int number = value.toInt(&isNumber);
        if (key == QLatin1String("f") && !value.isEmpty())
            select.function = value;
        else if (key == QLatin1String("entry") && isNumber && number > 0)
            select.entry = number;
        else if (key == QLatin1String("call") && isNumber && number > 0)
            select.call = number;
        else
            return wrongUse(
                QStringLiteral("--select takes f=NAME,entry=N,call=N with N from 1, not '%1'").arg(text));
    }
    if (select.function.isEmpty())
        return wrongUse(QStringLiteral("--select needs a function: f=NAME, in '%1'").arg(text));
    return select;
}

Result<QSize> parseSize(const QString& text) {
    static const QRegularExpression pattern(QStringLiteral("^(\\d{3,5})x(\\d{3,5})$"));
    const QRegularExpressionMatch match = pattern.match(text);
    const QSize size(match.captured(1).toInt(), match.captured(2).toInt());
    if (!match.hasMatch() || size.width() < 1024 || size.height() < 640 || size.width() > 16384 ||
        size.height() > 16384)
        return wrongUse(
            QStringLiteral("--size takes WIDTHxHEIGHT from 1024x640 to 16384x16384, not '%1'").arg(text));
    return size;
}

Status setOption(Options& options, const QString& name, const QString& value) {
    if (name == QLatin1String("--perspective")) {
        if (!perspectiveNames().contains(value) && !viewIds().contains(value))
            return wrongUse(QStringLiteral("--perspective takes one of %1, not '%2'")
                                .arg((perspectiveNames() + viewIds()).join(QStringLiteral(", ")), value));
        options.perspective = value;
    } else if (name == QLatin1String("--select")) {
        auto select = parseSelect(value);
        if (!select)
            return select.error();
        options.select = *select;
    } else if (name == QLatin1String("--screenshot")) {
        options.screenshot = value;
    } else if (name == QLatin1String("--theme")) {
        if (value != QLatin1String("light") && value != QLatin1String("dark"))
            return wrongUse(QStringLiteral("--theme takes light or dark, not '%1'").arg(value));
        options.theme = value == QLatin1String("dark") ? views::ThemeName::Dark : views::ThemeName::Light;
    } else {
        auto size = parseSize(value);
        if (!size)
            return size.error();
        options.size = *size;
    }
    return Done{};
}

} // namespace

Result<Options> parseOptions(const QStringList& arguments) {
    static const QStringList kWithValue{QStringLiteral("--perspective"), QStringLiteral("--select"),
                                        QStringLiteral("--screenshot"), QStringLiteral("--theme"),
                                        QStringLiteral("--size")};
    Options options;
    bool onlyFiles = false;
    for (qsizetype i = 0; i < arguments.size(); ++i) {
        const QString& argument = arguments[i];
        if (onlyFiles || !argument.startsWith(QLatin1Char('-'))) {
            options.files.push_back(argument);
        } else if (argument == QLatin1String("--")) {
            onlyFiles = true;
        } else if (argument == QLatin1String("--help") || argument == QLatin1String("-h")) {
            options.showHelp = true;
        } else if (argument == QLatin1String("--version")) {
            options.showVersion = true;
        } else {
            const qsizetype equals = argument.indexOf(QLatin1Char('='));
            const QString name = equals < 0 ? argument : argument.left(equals);
            if (!kWithValue.contains(name))
                return wrongUse(QStringLiteral("unknown option '%1'; see retracescope --help").arg(argument));
            if (equals < 0 && i + 1 >= arguments.size())
                return wrongUse(QStringLiteral("%1 needs a value; see retracescope --help").arg(name));
            const QString value = equals < 0 ? arguments[++i] : argument.mid(equals + 1);
            if (value.isEmpty())
                return wrongUse(QStringLiteral("%1 needs a value; see retracescope --help").arg(name));
            if (Status status = setOption(options, name, value); !status)
                return status.error();
        }
    }
    return options;
}

QString helpText() {
    return QStringLiteral(R"(retracescope [FILE...] [options]

Opens recorded sessions (.retrace) and trace files of other tools and shows why functions retrace. The first FILE opens,
the others go to the list of recent sessions.

  --perspective NAME   what is shown first: %1,
                       or one view: %2
  --select f=NAME,entry=N,call=N
                       selects a function, one of its entries or one of its calls
  --screenshot DIR     writes one picture (PNG) per view into DIR and ends;
                       a name ending in .png writes the view named by --perspective
  --theme light|dark
  --size WIDTHxHEIGHT  size of the window
  --help, --version

Example: retracescope train.retrace --perspective signatures --select f=train_one_step
)")
        .arg(perspectiveNames().join(QStringLiteral(", ")), viewIds().join(QStringLiteral(", ")));
}

} // namespace retracescope::gui
