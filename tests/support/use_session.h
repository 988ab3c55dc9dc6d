#pragma once

#include <retracescope/session/session.h>

namespace retracescope::test {

/// Looks at everything in a session that came from bytes nobody trusts, as the program would that opens it;
/// one that opened but is not sound ends the program.
void useSession(const session::Session& session);

} // namespace retracescope::test
