#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <retracescope/base/result.h>
#include <retracescope/engine/gpu/shared_library.h>

namespace retracescope::gpu {

/// The functions of the CUDA driver that finding devices takes, by their place in the driver's C interface.
/// Every one returns 0 for success. Tests fill it with their own.
struct DriverTable {
    int (*init)(unsigned flags) = nullptr;
    int (*driverGetVersion)(int* version) = nullptr; ///< 1000 * major + 10 * minor
    int (*deviceGetCount)(int* count) = nullptr;
    int (*deviceGet)(int* device, int ordinal) = nullptr;
    int (*deviceGetName)(char* name, int length, int device) = nullptr;
    int (*deviceTotalMem)(std::size_t* bytes, int device) = nullptr;
    int (*getErrorString)(int error, const char** text) = nullptr;
};

/// The driver of this machine with the library that holds its functions.
struct CudaDriver {
    std::optional<SharedLibrary> library; ///< none if the table is a test's
    DriverTable table;
};

struct GpuDevice {
    int ordinal = 0;
    std::string name;
    std::uint64_t memoryBytes = 0;
};

/// Loads libcuda; the error is one sentence for the user: functions run on the CPU, and why.
Result<CudaDriver> loadCudaDriver();

/// The devices that the driver offers; the error is a sentence like loadCudaDriver's, also for a driver that
/// is there without a device.
Result<std::vector<GpuDevice>> findDevices(const DriverTable& driver);

/// "13.0" of the driver's 13000.
std::string driverVersionText(const DriverTable& driver);

} // namespace retracescope::gpu
