#include "app/gui/go_to_box.h"

#include <QAbstractItemView>
#include <QKeyEvent>

#include "views/shared/icons.h"
#include "views/shared/numbers.h"

namespace retracescope::gui {

namespace {

/// More offers than fit the popup help nobody.
constexpr std::size_t kMostOffers = 30;

} // namespace

GoToBox::GoToBox(views::ViewState& state, QWidget* parent)
    : QLineEdit(parent), m_state(state), m_model(new QStandardItemModel(this)),
      m_completer(new QCompleter(m_model, this)) {
    setPlaceholderText(tr("Go to a function or :call"));
    setAccessibleName(tr("Go to a function, finding or call"));
    addAction(views::icon(QStringLiteral("search"), views::IconTone::Muted), LeadingPosition);
    setMinimumWidth(240);
    setMaximumWidth(372);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_completer->setCompletionMode(QCompleter::UnfilteredPopupCompletion);
    m_completer->setMaxVisibleItems(12);
    m_completer->setWidget(this);
    setEnabled(false);
    connect(&state, &views::ViewState::diagnosisChanged, this, [this] {
        setEnabled(m_state.session() != nullptr);
        clear();
    });
    connect(this, &QLineEdit::textEdited, this, &GoToBox::refill);
    connect(m_completer, qOverload<const QModelIndex&>(&QCompleter::activated), this, &GoToBox::go);
}

void GoToBox::activate() {
    setFocus(Qt::ShortcutFocusReason);
    selectAll();
}

void GoToBox::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        if (!m_targets.empty())
            go(m_completer->completionModel()->index(0, 0));
        return;
    }
    if (event->key() == Qt::Key_Escape) {
        clear();
        clearFocus();
        return;
    }
    QLineEdit::keyPressEvent(event);
}

void GoToBox::offer(const QString& text, const views::Selection& selection, const QString& viewId) {
    if (m_targets.size() >= kMostOffers)
        return;
    m_targets.push_back({selection, viewId});
    m_model->appendRow(new QStandardItem(text));
}

void GoToBox::refill(const QString& text) {
    m_model->clear();
    m_targets.clear();
    const session::Session* session = m_state.session();
    const QString wanted = text.trimmed();
    if (session == nullptr || wanted.isEmpty()) {
        m_completer->popup()->hide();
        return;
    }
    const session::Index& index = m_state.diagnosis()->index;
    if (wanted.startsWith(QLatin1Char(':'))) {
        const session::FunctionId function = m_state.shownFunction();
        const std::size_t number = wanted.mid(1).toUInt();
        if (function.isValid() && number > 0 && number <= index.callsOfFunction[function.value].size()) {
            views::Selection selection;
            selection.function = function;
            selection.call = index.callsOfFunction[function.value][number - 1];
            offer(tr("call %1 of %2")
                      .arg(number)
                      .arg(views::toQString(session->text((*session)[function].name))),
                  selection, QStringLiteral("signatures"));
        }
    }
    for (std::size_t row = 0; row < session->functions.size(); ++row) {
        const QString name = views::toQString(session->text(session->functions[row].name));
        if (!name.contains(wanted, Qt::CaseInsensitive))
            continue;
        views::Selection selection;
        selection.function = session::FunctionId(row);
        offer(tr("%1 · function").arg(name), selection, QStringLiteral("signatures"));
    }
    for (const diagnose::Finding& finding : m_state.diagnosis()->findings) {
        const QString title = views::toQString(finding.title);
        if (finding.expected || !title.contains(wanted, Qt::CaseInsensitive))
            continue;
        views::Selection selection;
        selection.function = finding.function;
        selection.miss = finding.misses.front();
        offer(tr("%1 · finding").arg(title), selection, QStringLiteral("findings"));
    }
    if (m_targets.empty()) {
        auto* none = new QStandardItem(tr("Nothing matches \u201c%1\u201d").arg(wanted));
        none->setFlags(Qt::NoItemFlags);
        m_model->appendRow(none);
    }
    m_completer->complete();
}

void GoToBox::go(const QModelIndex& index) {
    const auto row = static_cast<std::size_t>(index.row());
    if (!index.isValid() || row >= m_targets.size())
        return;
    const Target target = m_targets[row];
    m_completer->popup()->hide();
    clear();
    if (target.selection.call.isValid())
        m_state.selectCall(target.selection.call);
    else if (target.selection.miss.isValid())
        m_state.selectMiss(target.selection.miss);
    else
        m_state.selectFunction(target.selection.function);
    m_state.requestView(target.viewId);
}

QStringList GoToBox::offers() const {
    QStringList texts;
    for (int row = 0; row < m_model->rowCount(); ++row)
        texts.push_back(m_model->item(row)->text());
    return texts;
}

} // namespace retracescope::gui
