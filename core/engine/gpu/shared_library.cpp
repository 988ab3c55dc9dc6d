#include <retracescope/engine/gpu/shared_library.h>

#include <dlfcn.h>

namespace retracescope::gpu {

Result<SharedLibrary> SharedLibrary::open(std::initializer_list<const char*> names) {
    std::string reason;
    for (const char* name : names) {
        // Stays mapped when the last handle is gone: drivers and CUPTI keep threads and memory of their own.
        if (void* handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE))
            return SharedLibrary(std::shared_ptr<void>(handle, [](void* open) { dlclose(open); }), name);
        const char* said = dlerror();
        if (reason.empty())
            reason = said ? said : std::string(name) + ": not found";
    }
    return Error{reason};
}

void* SharedLibrary::find(const char* function) const noexcept {
    return dlsym(m_handle.get(), function);
}

} // namespace retracescope::gpu
