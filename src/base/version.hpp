// This is Baton's version, for the library. The launcher and the tool have it from CMake.
#pragma once

namespace baton {

// This is the version of the project in CMakeLists.txt; tests/api/symbols_test.py compares the two.
inline constexpr char version[] = "0.1.0";

}  // namespace baton
