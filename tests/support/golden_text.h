#pragma once

#include <string>

namespace retracescope::test {

/// Compares with the file tests/golden/<name>. Empty if equal, else which line differs and how.
/// With RETRACESCOPE_WRITE_GOLDEN=1 in the environment the file is written instead; read the difference
/// before committing it.
std::string goldenMismatch(const std::string& actual, const std::string& name);

} // namespace retracescope::test
