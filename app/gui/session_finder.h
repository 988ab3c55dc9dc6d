#pragma once

#include <QTimer>

#include "app/gui/finder.h"
#include "app/gui/session_search.h"
#include "views/shared/latest_job.h"

namespace retracescope::gui {

/// Find in the whole session: what holds the text, by kind; a choice goes there. The search is a job.
class SessionFinder : public QObject {
    Q_OBJECT

public:
    SessionFinder(views::ViewState& state, QWidget* window);

    void open();
    Finder& finder() { return *m_finder; }

private:
    void search();
    void show(const SearchResult& result);
    void go(const SearchHit& hit);

    views::ViewState& m_state;
    Finder* m_finder;
    QTimer m_delay; ///< between a letter and the search
    views::LatestJob m_job;
};

} // namespace retracescope::gui
