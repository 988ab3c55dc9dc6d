#include "app/gui/document.h"

#include <algorithm>

#include <QFileInfo>

#include "views/shared/numbers.h"

namespace retracescope::gui {

namespace {

/// Reading takes longer than the diagnosis; the share of the progress it gets.
constexpr double kReadShare = 0.8;

Job part(const Job& job, double begin, double length) {
    Job result;
    result.cancel = job.cancel;
    result.progress = [&job, begin, length](double share, std::string_view what) {
        job.report(begin + length * share, what);
    };
    return result;
}

/// First letter large unless a name begins it, full stop at the end: errors of core are written to be
/// continued.
QString sentence(const std::string& message) {
    QString text = views::toQString(message);
    const QString first = text.section(QLatin1Char(' '), 0, 0);
    if (!first.isEmpty() && std::ranges::all_of(first, [](QChar c) { return c.isLetter(); }))
        text[0] = text[0].toUpper();
    return text.endsWith(QLatin1Char('.')) ? text : text + QLatin1Char('.');
}

} // namespace

Document::Document(views::ViewState& state, Opener opener, QObject* parent)
    : QObject(parent), m_state(state), m_opener(std::move(opener)) {
    connect(&state.jobs(), &views::Jobs::changed, this, &Document::onJobsChanged);
}

void Document::open(const QString& path) {
    cancelOpening();
    const QString absolute = QFileInfo(path).absoluteFilePath();
    m_job = m_state.jobs().run(
        tr("Opening %1").arg(QFileInfo(path).fileName()), this,
        [opener = m_opener, file = std::filesystem::path(absolute.toStdString())](const Job& job) -> Outcome {
            auto session = opener(file, part(job, 0.0, kReadShare));
            if (!session)
                return {nullptr, sentence(session.error().message)};
            return {diagnose::diagnose(std::move(*session), part(job, kReadShare, 1.0 - kReadShare)), {}};
        },
        [this, absolute](Outcome outcome) { finish(absolute, std::move(outcome)); });
    Q_EMIT openingBegan();
}

void Document::cancelOpening() {
    if (m_job != 0)
        m_state.jobs().cancel(m_job);
}

void Document::finish(const QString& path, Outcome outcome) {
    m_job = 0;
    if (!outcome.diagnosis) {
        Q_EMIT failed(path, outcome.error);
    } else {
        m_path = path;
        m_state.setDiagnosis(std::move(outcome.diagnosis));
        Q_EMIT opened();
    }
    Q_EMIT openingEnded();
}

void Document::onJobsChanged() {
    if (m_job == 0)
        return;
    const auto running = m_state.jobs().running();
    if (std::ranges::find(running, m_job, &views::Jobs::Running::id) == running.end()) {
        m_job = 0;
        Q_EMIT openingEnded();
    }
}

void Document::close() {
    cancelOpening();
    m_path.clear();
    m_state.setDiagnosis(nullptr);
    Q_EMIT closed();
}

QString Document::name() const {
    return QFileInfo(m_path).fileName();
}

} // namespace retracescope::gui
