// A case of the checker: a GoogleTest test that explores it, and a row of the list that
// mutations.cpp goes through. Included by tests/lockfree/*_test.cpp.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "tests/lockfree/model/atomics.hpp"

namespace baton::model {

struct Case {
  const char* name;
  void (*setup)(Stage&);
};
// In order of definition within a file.
std::vector<Case>& cases();
inline bool add_case(const char* name, void (*setup)(Stage&)) {
  cases().push_back({name, setup});
  return true;
}

void expect_holds(const Setup& setup);
// The case fails, in the way that `what` is part of.
void expect_fails(const Setup& setup, const char* what);

}  // namespace baton::model

#define MODEL_CASE(group, name)                                   \
  static void group##_##name(::baton::model::Stage& stage);       \
  TEST(group, name) {                                             \
    ::baton::model::expect_holds(group##_##name);                 \
  }                                                               \
  [[maybe_unused]] static const bool group##_##name##_is_listed = \
      ::baton::model::add_case(#group "." #name, group##_##name); \
  static void group##_##name([[maybe_unused]] ::baton::model::Stage& stage)
