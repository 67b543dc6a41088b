#include "base/error.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace baton {
namespace {

TEST(error, the_last_explanation_is_kept_with_its_class) {
  last_explanation().target = &last_explanation();
  EXPECT_EQ(fail(MPI_ERR_RANK, "rank %d of %s", 7, "four"), MPI_ERR_RANK);
  EXPECT_EQ(last_explanation().error_class, MPI_ERR_RANK);
  EXPECT_STREQ(last_explanation().text, "rank 7 of four");
  EXPECT_EQ(last_explanation().target, nullptr);
}

TEST(error, a_long_explanation_is_cut_not_overrun) {
  std::string text(2000, 'x');
  EXPECT_EQ(fail(MPI_ERR_OTHER, "%s", text.c_str()), MPI_ERR_OTHER);
  EXPECT_EQ(std::string(last_explanation().text).size(), sizeof last_explanation().text - 1);
}

TEST(error, each_thread_has_its_own) {
  (void)fail(MPI_ERR_TAG, "mine");
  std::thread([] { (void)fail(MPI_ERR_COUNT, "its"); }).join();
  EXPECT_EQ(last_explanation().error_class, MPI_ERR_TAG);
}

}  // namespace
}  // namespace baton
