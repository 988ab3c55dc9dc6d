#pragma once

#include <cstring>
#include <initializer_list>
#include <string>

#include <retracescope/engine/gpu/shared_library.h>

namespace retracescope::gpu {

/// One function of a library and the pointer that is to hold its address.
struct TableEntry {
    template <class Function>
    TableEntry(const char* functionName, Function** place) : name(functionName), pointer(place) {
        static_assert(sizeof(Function*) == sizeof(void*));
    }

    const char* name;
    void* pointer;
};

/// Fills all pointers; returns the name of the first function that is missing, or an empty text.
inline std::string fillTable(const SharedLibrary& library, std::initializer_list<TableEntry> entries) {
    for (const TableEntry& entry : entries) {
        void* const address = library.find(entry.name);
        if (!address)
            return entry.name;
        std::memcpy(entry.pointer, &address, sizeof address);
    }
    return {};
}

} // namespace retracescope::gpu
