#include <retracescope/types/object.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include <cxxabi.h>

#include <retracescope/base/check.h>

namespace retracescope::types {

namespace {

/// All objects that were asked for and may still live.
class Objects {
public:
    static Objects& all() {
        static auto* objects = new Objects; // functions of static life may ask late
        return *objects;
    }

    std::uint64_t identityOf(const std::shared_ptr<const void>& object, const ObjectClass& itsClass) {
        const std::lock_guard lock(m_mutex);
        std::uint64_t& known = m_identities[{object.get(), &itsClass}];
        if (known != 0 && !m_objects.at(known).object.expired())
            return known;
        m_objects.erase(known); // another object lay here
        known = ++m_last;
        m_objects.emplace(known, Known{object, &itsClass});
        if (m_objects.size() > 2 * m_living + kSpare)
            forgetTheDead();
        return m_last;
    }

    /// Null if it is gone.
    std::shared_ptr<const void> find(std::uint64_t identity, const ObjectClass*& itsClass) {
        const std::lock_guard lock(m_mutex);
        const auto known = m_objects.find(identity);
        if (known == m_objects.end())
            return nullptr;
        itsClass = known->second.itsClass;
        return known->second.object.lock();
    }

private:
    struct Known {
        std::weak_ptr<const void> object;
        const ObjectClass* itsClass = nullptr;
    };
    static constexpr std::size_t kSpare = 64;

    /// A weak pointer keeps the memory of an object made by make_shared.
    void forgetTheDead() {
        std::erase_if(m_objects, [](const auto& known) { return known.second.object.expired(); });
        std::erase_if(m_identities, [&](const auto& known) { return !m_objects.contains(known.second); });
        m_living = m_objects.size();
    }

    std::mutex m_mutex;
    std::uint64_t m_last = 0;
    std::size_t m_living = 0; ///< when the dead were last forgotten
    std::unordered_map<std::uint64_t, Known> m_objects;
    std::map<std::pair<const void*, const ObjectClass*>, std::uint64_t> m_identities;
};

/// Where the name at the end of "Pair<int, a" or of "Pair<int, f(int)" starts.
std::size_t startOfLastName(const std::string& text) {
    int depth = 0;
    for (std::size_t i = text.size(); i > 0; --i) {
        const char c = text[i - 1];
        depth += c == ')' || c == '>';
        if (depth == 0 && (c == '<' || c == ',' || c == ' ' || c == '('))
            return i;
        depth -= c == '(' || c == '<';
    }
    return 0;
}

} // namespace

std::uint64_t identityOf(const std::shared_ptr<const void>& object, const ObjectClass& itsClass) {
    RETRACESCOPE_CHECK(object != nullptr);
    return Objects::all().identityOf(object, itsClass);
}

bool isAlive(std::uint64_t identity) {
    const ObjectClass* itsClass = nullptr;
    return Objects::all().find(identity, itsClass) != nullptr;
}

bool areEqual(std::uint64_t a, std::uint64_t b) {
    const ObjectClass* classOfA = nullptr;
    const ObjectClass* classOfB = nullptr;
    const auto first = Objects::all().find(a, classOfA);
    const auto second = Objects::all().find(b, classOfB);
    if (first == nullptr || second == nullptr || classOfA != classOfB)
        return false;
    // Nothing is locked: the comparison is the user's code.
    return a == b || (classOfA->equals != nullptr && classOfA->equals(first.get(), second.get()));
}

std::string plainName(const std::type_info& type) {
    int status = 0;
    char* const demangled = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
    const std::string full = status == 0 ? demangled : type.name();
    std::free(demangled);
    // "a::(anonymous namespace)::Pair<int, a::Point>" -> "Pair<int, Point>"
    static constexpr std::string_view kNameless = "(anonymous namespace)";
    std::string name;
    for (std::size_t i = 0; i < full.size(); ++i) {
        if (full.compare(i, kNameless.size(), kNameless) == 0) {
            i += kNameless.size() - 1;
        } else if (full.compare(i, 2, "::") == 0) {
            name.erase(startOfLastName(name));
            ++i;
        } else {
            name += full[i];
        }
    }
    return name;
}

} // namespace retracescope::types
