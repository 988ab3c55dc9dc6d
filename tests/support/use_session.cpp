#include "tests/support/use_session.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <retracescope/session/check.h>
#include <retracescope/session/pyramid.h>
#include <retracescope/session/query.h>

namespace retracescope::test {

void useSession(const session::Session& session) {
    if (const Status sound = checkSession(session); !sound) {
        std::fprintf(stderr, "opened, but %s\n", sound.error().message.c_str());
        std::abort();
    }
    const session::Index index = buildIndex(session);
    summarizeFunctions(session, index);
    const session::Pyramid pyramid = buildPyramid(session);
    std::vector<session::PixelSlice> pixels(100);
    for (std::size_t lane = 0; lane < pyramid.rows.size(); ++lane) {
        for (std::size_t depth = 0; depth < pyramid.rows[lane].size(); ++depth)
            sampleRow(pyramid.index.lanes[lane].rows[depth], pyramid.rows[lane][depth], session.originNs,
                      session.endNs + 1, pixels);
    }
}

} // namespace retracescope::test
