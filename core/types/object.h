#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <typeinfo>

/// Objects of the program as arguments: known by a number, held weakly.
namespace retracescope::types {

/// What all objects of one C++ class have in common. One per class, of static life.
struct ObjectClass {
    std::string name;                                   ///< "Point", without namespaces
    bool (*equals)(const void*, const void*) = nullptr; ///< null: an object equals only itself
};

/// The number of an object: the same as long as it lives, never given to another. `object` must not be null.
std::uint64_t identityOf(const std::shared_ptr<const void>& object, const ObjectClass& itsClass);

/// False once the object is gone.
bool isAlive(std::uint64_t identity);

/// True if both are one living object, or are alive, of one class, and its `equals` says so. What that throws
/// comes through.
bool areEqual(std::uint64_t a, std::uint64_t b);

/// "Point" for a class of that name in any namespace, "Pair<int, Point>" for a template.
std::string plainName(const std::type_info& type);

} // namespace retracescope::types
