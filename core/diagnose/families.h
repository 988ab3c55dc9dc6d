#pragma once

#include <vector>

#include <retracescope/session/query.h>

namespace retracescope::diagnose {

/// Functions made by one line of the program under one name: a wrapper made again in a loop, or one per
/// instance. A function whose place was not recorded is alone.
struct Family {
    std::vector<session::FunctionId> functions; ///< in the order of Session::functions
    std::int64_t medianCalls = 0;               ///< per function
    bool perInstance = false;                   ///< they say that they are instances of one function
};

struct Families {
    std::vector<Family> families;
    std::vector<std::uint32_t> familyOf; ///< by FunctionId

    const Family& of(session::FunctionId function) const { return families[familyOf[function.value]]; }
};

Families groupFamilies(const session::Session& session, const session::Index& index);

/// True if the family looks like one function made again and again, not like a few that live long.
bool isRemade(const Family& family);

} // namespace retracescope::diagnose
