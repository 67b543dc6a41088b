// Baton's version, for the library; launcher and tool have it from CMake.
#pragma once

namespace baton {

// The project's version in CMakeLists.txt; tests/api/symbols_test.py compares the two.
inline constexpr char version[] = "0.1.0";

}  // namespace baton
