#include "app/gui/finder.h"

#include <algorithm>

#include <QAbstractListModel>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include "views/shared/icons.h"
#include "views/shared/widgets.h"

namespace retracescope::gui {

namespace {

constexpr int kWidth = 620;
constexpr int kMostHeight = 460;
constexpr int kRow = 28;
constexpr int kGroup = 24;
constexpr int kAround = 82; // the box above the rows and the line below them

enum Role { GroupRole = Qt::UserRole + 1, DetailRole, ReasonRole };

} // namespace

/// Titles of groups and rows in one list; `row` is the place in Finder::m_rows, -1 for a title.
class Finder::RowsModel : public QAbstractListModel {
public:
    using QAbstractListModel::QAbstractListModel;

    void refill(const std::vector<FinderRow>& rows) {
        beginResetModel();
        m_rows = &rows;
        m_lines.clear();
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (!rows[i].group.isEmpty() && (i == 0 || rows[i].group != rows[i - 1].group))
                m_lines.push_back({static_cast<int>(i), true});
            m_lines.push_back({static_cast<int>(i), false});
        }
        endResetModel();
    }

    int rowOf(const QModelIndex& index) const {
        return index.isValid() && !m_lines[static_cast<std::size_t>(index.row())].isTitle
                   ? m_lines[static_cast<std::size_t>(index.row())].row
                   : -1;
    }

    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_lines.size());
    }

    Qt::ItemFlags flags(const QModelIndex& index) const override {
        return rowOf(index) < 0 ? Qt::NoItemFlags : Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    }

    QVariant data(const QModelIndex& index, int role) const override {
        if (!index.isValid())
            return {};
        const Line& line = m_lines[static_cast<std::size_t>(index.row())];
        const FinderRow& row = (*m_rows)[static_cast<std::size_t>(line.row)];
        switch (role) {
        case Qt::DisplayRole:
            return line.isTitle ? row.group : row.title;
        case Qt::ToolTipRole:
            return line.isTitle ? QString() : row.reason.isEmpty() ? row.title : row.reason;
        case Qt::AccessibleTextRole:
            return row.detail.isEmpty() ? row.title : row.title + QStringLiteral(", ") + row.detail;
        case GroupRole:
            return line.isTitle;
        case DetailRole:
            return row.detail;
        case ReasonRole:
            return row.reason;
        default:
            return {};
        }
    }

private:
    struct Line {
        int row = 0;
        bool isTitle = false;
    };

    const std::vector<FinderRow>* m_rows = nullptr; // of the finder
    std::vector<Line> m_lines;
};

namespace {

class FinderDelegate : public QStyledItemDelegate {
public:
    FinderDelegate(views::ViewState& state, QObject* parent) : QStyledItemDelegate(parent), m_state(state) {}

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override {
        return {200, index.data(GroupRole).toBool() ? kGroup : kRow};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const views::Theme& theme = m_state.theme();
        const QRect area = option.rect.adjusted(14, 0, -14, 0);
        painter->save();
        if (index.data(GroupRole).toBool()) {
            painter->setFont(views::textFont(views::TextSize::Caption, true));
            painter->setPen(theme.muted);
            painter->drawText(area, Qt::AlignBottom | Qt::AlignLeft, index.data().toString());
            painter->restore();
            return;
        }
        if (option.state & (QStyle::State_Selected | QStyle::State_MouseOver))
            painter->fillRect(option.rect,
                              option.state & QStyle::State_Selected ? theme.accentTint : theme.hover);
        const QString reason = index.data(ReasonRole).toString();
        const QString detail = reason.isEmpty() ? index.data(DetailRole).toString() : reason;
        painter->setFont(views::textFont(views::TextSize::Caption));
        const int most = area.width() * 2 / 5;
        const QString shownDetail = painter->fontMetrics().elidedText(detail, Qt::ElideMiddle, most);
        const int wide = painter->fontMetrics().horizontalAdvance(shownDetail);
        painter->setPen(theme.muted);
        painter->drawText(area, Qt::AlignVCenter | Qt::AlignRight, shownDetail);
        painter->setFont(views::textFont(views::TextSize::Body));
        painter->setPen(reason.isEmpty() ? theme.text : theme.muted);
        painter->drawText(area, Qt::AlignVCenter,
                          painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideMiddle,
                                                            area.width() - wide - 16));
        painter->restore();
    }

private:
    views::ViewState& m_state;
};

QToolButton* makeToggle(const QString& text, const QString& tip) {
    auto* button = new QToolButton;
    button->setText(text);
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setCheckable(true);
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

} // namespace

Finder::Finder(views::ViewState& state, QWidget* window)
    : QFrame(window, Qt::Popup), m_state(state), m_edit(new QLineEdit),
      m_case(makeToggle(QStringLiteral("Aa"), tr("Tell capitals from small letters"))),
      m_regex(makeToggle(QStringLiteral(".*"), tr("Regular expression"))), m_list(new QListView),
      m_status(views::makeLabel({}, "caption")), m_model(new RowsModel(this)) {
    setObjectName(QStringLiteral("finder"));
    auto* top = new QHBoxLayout;
    top->setContentsMargins(10, 10, 10, 8);
    top->setSpacing(6);
    top->addWidget(m_edit, 1);
    top->addWidget(m_case);
    top->addWidget(m_regex);
    m_edit->addAction(views::icon(QStringLiteral("search"), views::IconTone::Muted),
                      QLineEdit::LeadingPosition);
    m_list->setModel(m_model);
    m_list->setItemDelegate(new FinderDelegate(state, this));
    m_list->setProperty("frame", "none");
    m_list->setMouseTracking(true);
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setAccessibleName(tr("Offers"));
    m_status->setContentsMargins(14, 4, 14, 8);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(1, 1, 1, 1);
    layout->setSpacing(0);
    layout->addLayout(top);
    layout->addWidget(m_list, 1);
    layout->addWidget(m_status);
    m_edit->installEventFilter(this);
    connect(m_edit, &QLineEdit::textEdited, this, &Finder::queryChanged);
    connect(m_case, &QToolButton::toggled, this, &Finder::queryChanged);
    connect(m_regex, &QToolButton::toggled, this, &Finder::queryChanged);
    connect(m_list, &QListView::clicked, this, &Finder::choose);
    hide();
}

void Finder::open(const QString& placeholder, bool withToggles) {
    m_edit->clear();
    m_edit->setPlaceholderText(placeholder);
    m_edit->setAccessibleName(placeholder);
    m_case->setVisible(withToggles);
    m_regex->setVisible(withToggles);
    setError({});
    setRows({});
    place();
    show();
    m_edit->setFocus(Qt::PopupFocusReason);
    Q_EMIT queryChanged();
}

void Finder::place() {
    const QWidget* window = parentWidget();
    const int wide = std::min(kWidth, window->width() - 80);
    int rows = 0;
    for (int line = 0; line < m_model->rowCount(); ++line)
        rows += m_list->sizeHintForRow(line);
    const int most = std::min(kMostHeight, window->height() - 140);
    setFixedSize(wide, std::min(most, kAround + std::max(rows, kRow)));
    move(window->mapToGlobal(QPoint((window->width() - wide) / 2, 70)));
}

void Finder::setRows(std::vector<FinderRow> rows) {
    m_rows = std::move(rows);
    m_model->refill(m_rows);
    m_list->setCurrentIndex({});
    place();
    step(1);
}

void Finder::setStatus(const QString& text) {
    m_status->setText(text);
}

void Finder::setError(const QString& sentence) {
    m_edit->setProperty("invalid", !sentence.isEmpty());
    m_edit->style()->unpolish(m_edit);
    m_edit->style()->polish(m_edit);
    if (!sentence.isEmpty())
        setStatus(sentence);
}

/// To the next row, titles left out.
void Finder::step(int by) {
    int line = m_list->currentIndex().row();
    for (int i = 0; i < m_model->rowCount(); ++i) {
        line = (line + by + m_model->rowCount()) % m_model->rowCount();
        if (m_model->rowOf(m_model->index(line)) < 0)
            continue;
        m_list->setCurrentIndex(m_model->index(line));
        if (line == 1)
            m_list->scrollToTop(); // with the title above
        return;
    }
}

void Finder::choose(const QModelIndex& index) {
    const int row = m_model->rowOf(index);
    if (row < 0 || !m_rows[static_cast<std::size_t>(row)].reason.isEmpty())
        return;
    const auto act = m_rows[static_cast<std::size_t>(row)].choose;
    hide();
    act();
}

bool Finder::eventFilter(QObject* watched, QEvent* event) {
    if (watched != m_edit || event->type() != QEvent::KeyPress)
        return QFrame::eventFilter(watched, event);
    constexpr int kPage = 10;
    switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Down:
        step(1);
        return true;
    case Qt::Key_Up:
        step(-1);
        return true;
    case Qt::Key_PageDown:
    case Qt::Key_PageUp:
        for (int i = 0; i < kPage; ++i)
            step(static_cast<QKeyEvent*>(event)->key() == Qt::Key_PageDown ? 1 : -1);
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        choose(m_list->currentIndex());
        return true;
    case Qt::Key_Escape:
        hide();
        return true;
    default:
        return false;
    }
}

void Finder::hideEvent(QHideEvent* event) {
    QFrame::hideEvent(event);
    Q_EMIT closed();
}

int fuzzyScore(const QString& title, const QString& typed) {
    int score = 0;
    qsizetype at = 0;
    qsizetype last = -2;
    for (const QChar letter : typed) {
        if (letter.isSpace())
            continue;
        qsizetype found = -1;
        for (qsizetype i = at; i < title.size(); ++i) {
            if (title[i].toLower() != letter.toLower())
                continue;
            const bool startsWord = i == 0 || !title[i - 1].isLetterOrNumber();
            if (found < 0)
                found = i;
            if (i == last + 1 || startsWord) { // better than the first one met
                found = i;
                break;
            }
        }
        if (found < 0)
            return -1;
        const bool startsWord = found == 0 || !title[found - 1].isLetterOrNumber();
        score += found == last + 1 ? 4 : startsWord ? 3 : 1;
        last = found;
        at = found + 1;
    }
    return score;
}

} // namespace retracescope::gui
