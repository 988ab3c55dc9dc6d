#pragma once

#include <retracescope/diagnose/overview.h>

namespace retracescope::diagnose {

/// Sets headline, subline and nothingToFix from the rest of the diagnosis.
void giveVerdict(Diagnosis& diagnosis);

} // namespace retracescope::diagnose
