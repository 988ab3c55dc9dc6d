#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include <retracescope/engine/trace/tracer.h>
#include <retracescope/types/function_type.h>

namespace retracescope::trace {

/// Which signatures were traced by functions of one name and source line, so that a function made anew in a
/// loop is seen as such.
class Siblings {
public:
    using Site = std::tuple<std::string, std::string, std::uint32_t, std::uint32_t>;

    static Site siteOf(const std::string& name, Where where) {
        return {name, where.file_name(), where.line(), where.column()};
    }
    bool traced(const Site& site, const types::FunctionType& type) const {
        const auto found = m_traced.find(site);
        return found != m_traced.end() && found->second.contains(types::hashOf(type));
    }
    void add(const Site& site, const types::FunctionType& type) {
        m_traced[site].insert(types::hashOf(type));
    }

private:
    std::map<Site, std::set<std::uint64_t>> m_traced;
};

/// Under the lock for tracing.
Siblings& siblings();

} // namespace retracescope::trace
