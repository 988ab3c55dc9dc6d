#include "views/shared/recording_facts.h"

#include <QCoreApplication>

#include "views/shared/numbers.h"

namespace retracescope::views {

QString unclosedText(session::WriterState writer) {
    switch (writer) {
    case session::WriterState::Running:
        return QCoreApplication::translate("Numbers", "The recording is still running");
    case session::WriterState::Gone:
        return QCoreApplication::translate("Numbers",
                                           "The recording was not closed (the program ended early)");
    case session::WriterState::Unknown:
        break;
    }
    return QCoreApplication::translate("Numbers",
                                       "The recording was not closed (the program was killed or still runs)");
}

QString costShareText(const session::RecordingCost& cost) {
    return cost.ns > cost.lengthNs ? QCoreApplication::translate("Numbers", "over 100 %")
                                   : shareText(cost.ns, cost.lengthNs);
}

} // namespace retracescope::views
