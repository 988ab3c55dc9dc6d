#pragma once

#include <string>
#include <vector>

#include <retracescope/session/session.h>

namespace retracescope::diagnose {

/// The name of each function as tables show it, by FunctionId: the program's own where no other function of
/// the session has it, else with what tells it apart: where it is defined, "step (train.py:12)", or
/// which of its name it is, "step (#2)".
std::vector<std::string> functionNames(const session::Session& session);

} // namespace retracescope::diagnose
