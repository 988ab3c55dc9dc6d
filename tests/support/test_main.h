#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <QObject>

namespace retracescope::test {

/// Every test class of a test program; test_main.cpp runs them one after the other with the program's
/// arguments.
using MakeTest = std::function<std::unique_ptr<QObject>()>;
std::vector<MakeTest>& registeredTests();

template <class Test>
struct Registration {
    Registration() {
        registeredTests().push_back([] { return std::make_unique<Test>(); });
    }
};

} // namespace retracescope::test

/// Put behind a test class (a QObject with private slots); the file then ends with `#include "<name>.moc"`.
#define RETRACESCOPE_TEST(Class) static const ::retracescope::test::Registration<Class> registered##Class
