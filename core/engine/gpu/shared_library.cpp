#include <retracescope/engine/gpu/shared_library.h>

#include <dlfcn.h>

namespace retracescope::gpu {

Result<SharedLibrary> SharedLibrary::open(std::initializer_list<const char*> names) {
    std::string reason;
    for (const char* name : names) {
        if (void* handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL))
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
