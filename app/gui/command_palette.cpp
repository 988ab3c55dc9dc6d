#include "app/gui/command_palette.h"

#include <algorithm>

#include <QSettings>

#include "views/shared/numbers.h"

namespace retracescope::gui {

namespace {

const QString kRecentKey = QStringLiteral("palette/recent");
constexpr int kMostRecent = 8;

} // namespace

CommandPalette::CommandPalette(views::ViewState& state, QWidget* window,
                               std::function<std::vector<Command>()> commands)
    : QObject(window), m_finder(new Finder(state, window)), m_commands(std::move(commands)) {
    m_finder->setAccessibleName(tr("Commands"));
    connect(m_finder, &Finder::queryChanged, this, &CommandPalette::refill);
}

void CommandPalette::open() {
    if (m_remembers)
        m_recent = QSettings().value(kRecentKey).toStringList();
    m_finder->open(tr("Type a few letters of a command"), false);
}

void CommandPalette::refill() {
    struct Scored {
        Command command;
        int score = 0;
    };
    const QString typed = m_finder->text().trimmed();
    std::vector<Scored> found;
    const std::vector<Command> all = m_commands();
    for (const Command& command : all) {
        const int score = fuzzyScore(command.name, typed);
        const auto recent = m_recent.indexOf(command.name);
        if (score >= 0)
            found.push_back(
                {command, score * 16 + (recent < 0 ? 0 : kMostRecent - static_cast<int>(recent))});
    }
    std::ranges::stable_sort(found, std::greater{}, &Scored::score);
    std::vector<FinderRow> rows;
    for (const Scored& scored : found)
        rows.push_back({{}, scored.command.name, scored.command.key, scored.command.reason, [this, scored] {
                            used(scored.command.name);
                            scored.command.run();
                        }});
    m_finder->setRows(std::move(rows));
    m_finder->setStatus(typed.isEmpty() ? views::pluralText(static_cast<std::int64_t>(all.size()),
                                                            tr("command"), tr("commands"))
                        : found.empty() ? tr("No command has these letters in this order.")
                                        : tr("%1 of %2").arg(found.size()).arg(all.size()));
}

void CommandPalette::used(const QString& name) {
    m_recent.removeAll(name);
    m_recent.prepend(name);
    m_recent = m_recent.mid(0, kMostRecent);
    if (m_remembers)
        QSettings().setValue(kRecentKey, m_recent);
}

} // namespace retracescope::gui
