#include <cstring>

#include <QTest>

#include <retracescope/engine/gpu/cuda_driver.h>
#include <retracescope/engine/gpu/cupti.h>
#include <retracescope/engine/gpu/shared_library.h>

#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::gpu;

namespace {

/// A driver with one device, made of functions of this file.
DriverTable oneDevice() {
    DriverTable table;
    table.init = [](unsigned) { return 0; };
    table.driverGetVersion = [](int* version) { return *version = 13020, 0; };
    table.deviceGetCount = [](int* count) { return *count = 1, 0; };
    table.deviceGet = [](int* device, int ordinal) { return *device = 40 + ordinal, 0; };
    table.deviceGetName = [](char* name, int length, int device) {
        std::strncpy(name, device == 40 ? "Test GPU" : "wrong handle", static_cast<std::size_t>(length));
        return 0;
    };
    table.deviceTotalMem = [](std::size_t* bytes, int) { return *bytes = 1 << 30, 0; };
    table.getErrorString = [](int, const char** text) { return *text = "no device", 0; };
    return table;
}

bool saysCpu(const std::string& text, std::string_view more) {
    return text.starts_with("functions run on the CPU: ") && text.find(more) != std::string::npos &&
           text.find('\n') == std::string::npos;
}

} // namespace

class LibrariesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aLibraryThatIsNotThereIsAnErrorWithItsName() {
        const auto library = SharedLibrary::open({"librs_is_not_there.so.1", "librs_is_not_there.so"});
        QVERIFY(!library.ok());
        QVERIFY(library.error().message.find("librs_is_not_there.so.1") != std::string::npos);
    }

    void aFunctionIsFoundByName() {
        const auto library = SharedLibrary::open({"librs_is_not_there.so", "libm.so.6"});
        QVERIFY(library.ok());
        QCOMPARE(library->name(), std::string("libm.so.6"));
        QVERIFY(library->find("cos"));
        QVERIFY(!library->find("rs_is_not_there"));
    }

    void listsDevices() {
        const auto devices = findDevices(oneDevice());
        QVERIFY(devices.ok());
        QCOMPARE(devices->size(), 1U);
        QCOMPARE(devices->front().name, std::string("Test GPU"));
        QCOMPARE(devices->front().memoryBytes, std::uint64_t{1} << 30);
        QCOMPARE(driverVersionText(oneDevice()), std::string("13.2"));
    }

    void everyFailureIsOneSentence() {
        DriverTable table = oneDevice();
        table.init = [](unsigned) { return 100; };
        QVERIFY(saysCpu(findDevices(table).error().message, "no device (CUDA error 100)"));
        table = oneDevice();
        table.deviceGetCount = [](int* count) { return *count = 0, 0; };
        QVERIFY(saysCpu(findDevices(table).error().message, "finds no GPU"));
        table = oneDevice();
        table.deviceTotalMem = [](std::size_t*, int) { return 999; };
        QVERIFY(saysCpu(findDevices(table).error().message, "GPU 0 does not answer"));
    }

    void aMachineWithoutADriverSaysSo() {
        const auto driver = loadCudaDriver();
        if (driver)
            QSKIP("this machine has a CUDA driver");
        QVERIFY(saysCpu(driver.error().message, "libcuda.so.1"));
    }

    void aLibraryThatIsNoCuptiIsRefused() {
        const auto cupti = loadCupti("libm.so.6");
        QVERIFY(!cupti.ok());
        QVERIFY(cupti.error().message.starts_with("kernels on the GPU are not timed: "));
        QVERIFY(cupti.error().message.find("cuptiGetVersion") != std::string::npos);
    }
};

RETRACESCOPE_TEST(LibrariesTest);

#include "libraries_test.moc"
