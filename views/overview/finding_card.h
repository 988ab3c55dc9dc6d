#pragma once

#include <vector>

#include <QFrame>
#include <QLabel>
#include <QPushButton>

#include <retracescope/diagnose/overview.h>

#include "views/shared/diff_view.h"
#include "views/shared/time_uses.h"
#include "views/shared/widgets.h"

namespace retracescope::views {

/// When the misses of a finding happened, as bars over the run; avoidable, needed and failed ones told apart.
class Sparkline : public QWidget {
    Q_OBJECT

public:
    Sparkline(ViewState& state, const diagnose::Finding& finding, QWidget* parent = nullptr);

    QSize sizeHint() const override { return {200, 52}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Trace {
        std::int64_t timeNs = 0; ///< since the start of the run
        TimeUse use = TimeUse::Needed;
    };

    ViewState& m_state;
    std::vector<Trace> m_traces;
    std::vector<UseLabel> m_legend;
    std::int64_t m_lengthNs = 1;
};

/// One finding on the Summary: rank, function, place, what it costs, cause, when, and the edit as diff.
class FindingCard : public QFrame {
    Q_OBJECT

public:
    FindingCard(ViewState& state, int rank, const diagnose::Finding& finding, QWidget* parent = nullptr);

    void setCompact(bool compact); ///< small windows: without the diff; Edit opens the finding

Q_SIGNALS:
    void evidenceRequested();

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QLayout* makeHead(int rank, const diagnose::Finding& finding);

    ViewState& m_state;
    QString m_editText;
    bool m_avoidable; ///< the edit saves something
    DiffView* m_diff = nullptr;
    QLabel* m_sentence;
    QPushButton* m_copy;
};

} // namespace retracescope::views
