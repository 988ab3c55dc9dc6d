#pragma once

#include <optional>

#include <QSize>
#include <QString>
#include <QStringList>

#include <retracescope/base/result.h>

#include "views/shared/theme.h"

namespace retracescope::gui {

/// What `--select f=NAME,entry=N,call=N` names; numbers count from 1 within the function.
struct SelectOption {
    QString function;
    std::optional<int> entry;
    std::optional<int> call;
};

/// The command line of retracescope.
struct Options {
    QStringList files;
    QString perspective; ///< a perspective or the id of a view; empty = Overview
    std::optional<SelectOption> select;
    QString screenshot;                    ///< a folder, or a file ending in .png; empty = none
    std::optional<views::ThemeName> theme; ///< none = as set before, else as the system
    std::optional<QSize> size;
    bool showHelp = false;
    bool showVersion = false;
};

/// Arguments without the program's name. The error is one line that says what to do.
Result<Options> parseOptions(const QStringList& arguments);

QString helpText();

} // namespace retracescope::gui
