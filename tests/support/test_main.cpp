#include "tests/support/test_main.h"

#include <cstdlib>
#include <string>
#include <vector>

#ifdef RETRACESCOPE_TEST_WIDGETS
#include <QApplication>
#else
#include <QCoreApplication>
#endif
#include <QTest>

namespace retracescope::test {

std::vector<MakeTest>& registeredTests() {
    static std::vector<MakeTest> tests;
    return tests;
}

} // namespace retracescope::test

int main(int argc, char** argv) {
    // A crash ends the program at once: QTest's handler would start a debugger, which can block for ever, and
    // would handle abort() again and again.
    qputenv("QTEST_DISABLE_STACK_DUMP", "1");
    std::vector<char*> arguments(argv, argv + argc);
    std::string noHandler = "-nocrashhandler";
    arguments.push_back(noHandler.data());
#ifdef RETRACESCOPE_TEST_WIDGETS
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication app(argc, argv);
#else
    const QCoreApplication app(argc, argv);
#endif
    int failures = 0;
    for (const auto& make : retracescope::test::registeredTests())
        failures += QTest::qExec(make().get(), static_cast<int>(arguments.size()), arguments.data());
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
