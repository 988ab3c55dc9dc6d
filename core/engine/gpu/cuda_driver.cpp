#include <retracescope/engine/gpu/cuda_driver.h>

#include <array>

#include <fmt/format.h>

#include <retracescope/engine/gpu/function_table.h>

namespace retracescope::gpu {

namespace {

std::string errorText(const DriverTable& driver, int error) {
    const char* text = nullptr;
    if (driver.getErrorString && driver.getErrorString(error, &text) == 0 && text)
        return fmt::format("{} (CUDA error {})", text, error);
    return fmt::format("CUDA error {}", error);
}

Error onCpu(std::string_view why) {
    return {fmt::format("functions run on the CPU: {}", why)};
}

} // namespace

Result<CudaDriver> loadCudaDriver() {
    auto library = SharedLibrary::open({"libcuda.so.1", "libcuda.so"});
    if (!library)
        return onCpu(fmt::format("there is no CUDA driver on this machine ({})", library.error().message));
    DriverTable table;
    const std::string missing = fillTable(*library, {{"cuInit", &table.init},
                                                     {"cuDriverGetVersion", &table.driverGetVersion},
                                                     {"cuDeviceGetCount", &table.deviceGetCount},
                                                     {"cuDeviceGet", &table.deviceGet},
                                                     {"cuDeviceGetName", &table.deviceGetName},
                                                     {"cuDeviceTotalMem_v2", &table.deviceTotalMem},
                                                     {"cuGetErrorString", &table.getErrorString}});
    if (!missing.empty())
        return onCpu(fmt::format("{} has no function {}; install the driver that belongs to the GPU",
                                 library->name(), missing));
    return CudaDriver{std::move(*library), table};
}

Result<std::vector<GpuDevice>> findDevices(const DriverTable& driver) {
    if (const int error = driver.init(0))
        return onCpu(fmt::format("the CUDA driver does not start: {}", errorText(driver, error)));
    int count = 0;
    if (const int error = driver.deviceGetCount(&count))
        return onCpu(fmt::format("the CUDA driver cannot list its devices: {}", errorText(driver, error)));
    if (count <= 0)
        return onCpu("the CUDA driver finds no GPU");
    std::vector<GpuDevice> devices;
    for (int ordinal = 0; ordinal < count; ++ordinal) {
        int device = 0;
        std::array<char, 256> name{};
        std::size_t bytes = 0;
        int error = driver.deviceGet(&device, ordinal);
        if (!error)
            error = driver.deviceGetName(name.data(), static_cast<int>(name.size()) - 1, device);
        if (!error)
            error = driver.deviceTotalMem(&bytes, device);
        if (error)
            return onCpu(fmt::format("GPU {} does not answer: {}", ordinal, errorText(driver, error)));
        devices.push_back({ordinal, name.data(), bytes});
    }
    return devices;
}

std::string driverVersionText(const DriverTable& driver) {
    int version = 0;
    if (driver.driverGetVersion(&version) != 0 || version <= 0)
        return "unknown";
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

} // namespace retracescope::gpu
