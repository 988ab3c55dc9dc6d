#include "app/gui/keys_dialog.h"

#include <QApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QScrollArea>
#include <QVBoxLayout>

#include "views/shared/theme.h"
#include "views/shared/widgets.h"

namespace retracescope::gui {

namespace {

struct Key {
    QString what;
    QString keys;
};

QString tr(const char* text) {
    return QCoreApplication::translate("Keys", text);
}

/// Keys that are no menu action, by place.
std::vector<std::pair<QString, std::vector<Key>>> viewKeys() {
    return {
        {tr("Welcome"), {{tr("Open a recent session"), QStringLiteral("1 – 9")}}},
        {tr("Tables"),
         {{tr("Move"), tr("Arrows, Page Up, Page Down, Home, End")},
          {tr("Open the next level"), tr("Enter")},
          {tr("Open and close a row"), tr("Space, Right, Left")},
          {tr("Copy the selected row as tab-separated text"), tr("Ctrl+C")},
          {tr("Next, previous row that differs (signatures)"), tr("Alt+Down, Alt+Up")},
          {tr("Jump to a row"), tr("type its name")}}},
        {tr("Timeline and graph"),
         {{tr("Zoom"), tr("W, S, Ctrl+wheel")},
          {tr("Pan"), tr("A, D, Shift+wheel, drag")},
          {tr("Show the selection, then all"), QStringLiteral("F")},
          {tr("Show all"), tr("Home")},
          {tr("Clear what is selected"), tr("Esc")}}},
        {tr("Timeline"),
         {{tr("Next, previous trace"), tr("N, Shift+N")},
          {tr("Previous, next call of the function, event of the row"), tr("Left, Right")},
          {tr("From an event to what contains it, to what is in it"), tr("Up, Down")},
          {tr("Previous, next function"), tr("Ctrl+Up, Ctrl+Down")},
          {tr("Scroll the lanes"), tr("Up, Down, Page Up, Page Down")},
          {tr("Select a range of time"), tr("Shift+drag, or drag on the ruler")},
          {tr("Range of the selection"), QStringLiteral("R")},
          {tr("Pin the lane at the top, hide it"), QStringLiteral("P, H")},
          {tr("Undo what was done to lanes"), tr("Ctrl+Z, Ctrl+Shift+Z")},
          {tr("Graph of the selection"), QStringLiteral("G")}}},
        {tr("Graph"),
         {{tr("Go to a neighbour"), tr("Arrows")},
          {tr("Open or close the scope"), tr("Enter")},
          {tr("Open all in the scope, close all around"), tr("E, C")},
          {tr("Close the scope around the box"), tr("Backspace")},
          {tr("Everything before, after the box"), tr("I, O")},
          {tr("Path from the selected box, then to it"), QStringLiteral("P")},
          {tr("Find"), QStringLiteral("/")}}},
    };
}

void addSection(QGridLayout* grid, const QString& title, const std::vector<Key>& keys) {
    const int first = grid->rowCount();
    grid->addWidget(views::makeLabel(title, "strong"), first, 0, 1, 2);
    int row = first + 1;
    for (const Key& key : keys) {
        grid->addWidget(views::makeLabel(key.what), row, 0);
        grid->addWidget(views::makeLabel(key.keys, "key"), row++, 1, Qt::AlignLeft);
    }
    grid->setRowMinimumHeight(row, views::kGap);
}

} // namespace

void showKeys(const QList<QAction*>& actions, QWidget* parent) {
    QDialog dialog(parent);
    dialog.setObjectName(QStringLiteral("keysDialog"));
    dialog.setWindowTitle(tr("Keys"));
    auto* content = new QWidget;
    content->setProperty("surface", "view");
    auto* grid = new QGridLayout(content);
    grid->setContentsMargins(views::kMargin, views::kMargin, views::kMargin, views::kMargin);
    grid->setHorizontalSpacing(24);
    grid->setVerticalSpacing(6);
    std::vector<Key> menuKeys;
    for (const QAction* action : actions) {
        if (!action->shortcuts().isEmpty())
            menuKeys.push_back({action->text().remove(QLatin1Char('&')).remove(QChar(0x2026)),
                                QKeySequence::listToString(action->shortcuts(), QKeySequence::NativeText)
                                    .replace(QStringLiteral("; "), QStringLiteral(", "))});
    }
    addSection(grid, tr("Everywhere"), menuKeys);
    for (const auto& [title, keys] : viewKeys())
        addSection(grid, title, keys);
    grid->setRowStretch(grid->rowCount(), 1);
    auto* scroll = new QScrollArea;
    scroll->setWidget(content);
    scroll->setWidgetResizable(true);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    QObject::connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
    auto* layout = new QVBoxLayout(&dialog);
    layout->addWidget(scroll);
    layout->addWidget(buttons);
    dialog.resize(560, 640);
    dialog.exec();
}

void showAbout(QWidget* parent) {
    QDialog dialog(parent);
    dialog.setObjectName(QStringLiteral("aboutDialog"));
    dialog.setWindowTitle(tr("About Retracescope"));
    auto* layout = new QVBoxLayout(&dialog);
    layout->setContentsMargins(24, 24, 24, views::kMargin);
    layout->setSpacing(views::kGap);
    layout->addWidget(views::makeLabel(
        QStringLiteral("Retracescope %1").arg(QCoreApplication::applicationVersion()), "title"));
    auto* text = views::makeLabel(
        tr("Shows why traced functions retrace, what that costs, and the smallest edit that "
           "stops it.\n\nIt works offline. Nothing leaves this computer.\n\nApache License 2.0."));
    text->setWordWrap(true);
    text->setFixedWidth(420);
    layout->addWidget(text);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    QObject::connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
    layout->addWidget(buttons);
    dialog.exec();
}

} // namespace retracescope::gui
