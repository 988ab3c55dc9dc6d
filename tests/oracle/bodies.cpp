#include "tests/oracle/bodies.h"

namespace retracescope::oracle {

const Body* bodyOf(const std::string& id) {
    static const BodyMap all = [] {
        BodyMap result;
        for (BodyMap theme :
             {capturesBodies(), creationBodies(), nestingBodies(), methodsBodies(), objectsBodies(),
              concreteBodies(), controlFlowBodies(), effectsBodies(), warningsBodies(), gradientsBodies(),
              numericsBodies(), moreOpsBodies(), graphsBodies()})
            result.merge(theme);
        return result;
    }();
    const auto found = all.find(id);
    return found == all.end() ? nullptr : &found->second;
}

Outcome play(const Json& scenario, const trace::Policy& policy, Body body) {
    Play play(scenario, policy);
    try {
        body(play);
    } catch (const std::exception& error) {
        return {Outcome::Kind::Failed, error.what(), 0, 0};
    }
    return play.outcome();
}

} // namespace retracescope::oracle
