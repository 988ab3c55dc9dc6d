#pragma once

#include <string>

#include <QTest>

/// Fails with the whole text if `part` does not stand in it.
#define VERIFY_CONTAINS(text, part)                                                                          \
    do {                                                                                                     \
        const std::string wholeText = (text);                                                                \
        QVERIFY2(wholeText.find(part) != std::string::npos, wholeText.c_str());                              \
    } while (false)
