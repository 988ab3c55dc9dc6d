#include "tests/support/test_main.h"

#include <cstdlib>

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
    // A crash or a hang ends the program at once: QTest would start a debugger, which can block for ever.
    qputenv("QTEST_DISABLE_STACK_DUMP", "1");
#ifdef RETRACESCOPE_TEST_WIDGETS
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication app(argc, argv);
#else
    const QCoreApplication app(argc, argv);
#endif
    int failures = 0;
    for (const auto& make : retracescope::test::registeredTests())
        failures += QTest::qExec(make().get(), argc, argv);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
