#pragma once

#include <map>
#include <string>

#include "tests/oracle/play.h"

namespace retracescope::oracle {

/// What the functions of a recorded scenario do, and its program: a body for each scenario that cannot be
/// replayed from its notation alone. It does what the Python source does and knows no expected values.
using Body = void (*)(Play&);
using BodyMap = std::map<std::string, Body>; ///< by id of the scenario

BodyMap capturesBodies();
BodyMap creationBodies();
BodyMap nestingBodies();
BodyMap methodsBodies();
BodyMap objectsBodies();
BodyMap concreteBodies();
BodyMap controlFlowBodies();
BodyMap effectsBodies();
BodyMap warningsBodies();
BodyMap gradientsBodies();
BodyMap numericsBodies();
BodyMap moreOpsBodies();
BodyMap graphsBodies();

/// Null if there is none.
const Body* bodyOf(const std::string& id);

/// Replays a scenario with its body.
Outcome play(const Json& scenario, const trace::Policy& policy, Body body);

} // namespace retracescope::oracle
