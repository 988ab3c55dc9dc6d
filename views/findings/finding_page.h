#pragma once

#include <QScrollArea>
#include <QVBoxLayout>

#include <retracescope/diagnose/overview.h>

#include "views/shared/diff_view.h"
#include "views/shared/fact_table.h"
#include "views/shared/widgets.h"

namespace retracescope::views {

/// One finding in full: cause, the call against the nearest entries with a pager over the misses, the edit,
/// and what each miss cost.
class FindingPage : public QScrollArea {
    Q_OBJECT

public:
    explicit FindingPage(ViewState& state, QWidget* parent = nullptr);

    /// `miss`: the one whose evidence is shown; the first if it is none of the finding's.
    void show(const diagnose::Finding& finding, session::MissId miss);

    const FactTable* evidence() const { return m_evidence; }

private:
    void step(int by);
    void addTitle();
    void addEvidence();
    void addEdit();
    void addEditBody(const diagnose::Edit& edit, const QString& text, const QString& place);
    void addCosts();
    session::MissId miss() const { return m_finding.misses[m_position]; }

    ViewState& m_state;
    QVBoxLayout* m_layout;
    diagnose::Finding m_finding;
    std::size_t m_position = 0; ///< of the shown miss in the finding's
    FactTable* m_evidence = nullptr;
};

} // namespace retracescope::views
