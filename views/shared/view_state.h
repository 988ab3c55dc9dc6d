#pragma once

#include <QObject>

#include <retracescope/diagnose/call_filter.h>
#include <retracescope/diagnose/overview.h>

#include "views/shared/jobs.h"
#include "views/shared/selection.h"
#include "views/shared/theme.h"

namespace retracescope::views {

/// What all views look at: the open session with its diagnosis, the selection, the theme. Views read it,
/// change the selection through it and never talk to each other.
class ViewState : public QObject {
    Q_OBJECT

public:
    explicit ViewState(QObject* parent = nullptr);

    /// None while no session is open.
    const diagnose::DiagnosisPtr& diagnosis() const { return m_diagnosis; }
    const session::Session* session() const { return m_diagnosis ? m_diagnosis->session.get() : nullptr; }
    void setDiagnosis(diagnose::DiagnosisPtr diagnosis);

    const Selection& selection() const { return m_selection; }

    /// What a view of one function shows: the selected one, else that of the first finding, else the first
    /// one called.
    session::FunctionId shownFunction() const;

    /// What the Graph view shows: of the selection, else of the first entry with a graph of shownFunction(),
    /// else the first graph that no entry owns. Either part may be none.
    struct ShownGraph {
        session::GraphId graph;
        session::EntryId entry; ///< whose graph it is or which calls it

        bool operator==(const ShownGraph&) const = default;
    };
    ShownGraph shownGraph() const;

    void selectFunction(session::FunctionId function); ///< clears parts that no longer belong
    void selectEntry(session::EntryId entry);          ///< sets its function too
    void selectCall(session::CallId call);             ///< sets its entry, function and miss too
    void selectMiss(session::MissId miss);             ///< sets its call, entry and function too
    /// A graph that no entry owns; with an `entry`, one that its graph calls.
    void selectGraph(session::GraphId graph, session::EntryId entry = {});
    void selectNode(const ShownGraph& graph, std::uint32_t node);
    void selectEvent(const session::EventRef& event); ///< sets what the file knows it belongs to, too
    void selectRange(std::optional<TimeRange> range);
    void clearSelection();
    void setSelection(const Selection& selection); ///< history: sets all parts as they are

    /// What tables and lanes leave out, until another session is opened.
    const diagnose::CallFilter& filter() const { return m_filter; }
    void setFilter(const diagnose::CallFilter& filter);

    /// Path of the component of the shown function's key that is looked at ("x.shape[0]"); empty for none.
    const std::string& argument() const { return m_argument; }
    void chooseArgument(std::string path);

    const Theme& theme() const { return m_theme; }
    void setTheme(ThemeName name);

    Jobs& jobs() { return m_jobs; }

    /// Views ask the main window to bring another view to the front: "graph", "timeline", "signatures", ...
    void requestView(const QString& viewId);

    /// Brings the source to the front at a line of a file of the session.
    void requestPlace(const QString& file, std::uint32_t line);

Q_SIGNALS:
    void diagnosisChanged();
    void selectionChanged();
    void argumentChanged();
    void filterChanged();
    void themeChanged();
    void viewRequested(const QString& viewId);
    void placeRequested(const QString& file, std::uint32_t line);

private:
    void apply(Selection selection);

    diagnose::DiagnosisPtr m_diagnosis;
    Selection m_selection;
    diagnose::CallFilter m_filter;
    std::string m_argument;
    Theme m_theme;
    Jobs m_jobs;
};

} // namespace retracescope::views
