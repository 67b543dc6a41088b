#include "tests/lockfree/model/cases.hpp"

#include <cstdio>

namespace baton::model {

std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

void expect_holds(const Setup& setup) {
  Outcome outcome = explore(setup);
  EXPECT_TRUE(outcome.complete) << outcome.failure << "\n" << outcome.trace;
  EXPECT_GT(outcome.executions, 1u) << "there was no choice in this case";
  std::printf("  %llu executions, %llu states\n",
              static_cast<unsigned long long>(outcome.executions),
              static_cast<unsigned long long>(outcome.states));
}

void expect_fails(const Setup& setup, const char* what) {
  Outcome outcome = explore(setup);
  EXPECT_FALSE(outcome.complete);
  EXPECT_NE(outcome.failure.find(what), std::string::npos) << outcome.failure;
}

}  // namespace baton::model
