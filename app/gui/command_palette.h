#pragma once

#include <functional>

#include <QAction>
#include <QStringList>

#include "app/gui/finder.h"

namespace retracescope::gui {

/// Every action with its key: type a few of its letters. The last ones used come first; what cannot be used
/// now says why.
class CommandPalette : public QObject {
    Q_OBJECT

public:
    /// An action as the palette lists it.
    struct Command {
        QString name;
        QString key;
        QString reason; ///< why it cannot be used now; empty if it can
        std::function<void()> run;
    };

    CommandPalette(views::ViewState& state, QWidget* window, std::function<std::vector<Command>()> commands);

    void open();
    void setRemembers(bool on) { m_remembers = on; } ///< of the last used ones, in the settings

    Finder& finder() { return *m_finder; }

private:
    void refill();
    void used(const QString& name);

    Finder* m_finder;
    std::function<std::vector<Command>()> m_commands;
    QStringList m_recent; ///< names, newest first
    bool m_remembers = true;
};

} // namespace retracescope::gui
