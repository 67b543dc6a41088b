#include "base/search_path.hpp"

#include <gtest/gtest.h>

#include <string>

namespace baton {

namespace {

std::string without(std::string path, const char* folder) {
  remove_folder(path.data(), folder);
  return path.c_str();
}

TEST(search_path, loses_a_folder_wherever_it_stands) {
  EXPECT_EQ(without("/a", "/a"), "");
  EXPECT_EQ(without("/a:/b", "/a"), "/b");
  EXPECT_EQ(without("/b:/a", "/a"), "/b");
  EXPECT_EQ(without("/a:/b:/a:/c:/a", "/a"), "/b:/c");
}

TEST(search_path, keeps_what_else_is_there) {
  EXPECT_EQ(without("", "/a"), "");
  EXPECT_EQ(without("/ab:/a/b", "/a"), "/ab:/a/b");
  EXPECT_EQ(without("/a::/b:", "/a"), ":/b:");  // empty entries are the user's
}

TEST(search_path, tells_whether_a_folder_is_mentioned) {
  EXPECT_TRUE(has_folder("/a", "/a"));
  EXPECT_TRUE(has_folder("/b:/a", "/a"));
  EXPECT_FALSE(has_folder("/ab:/a/b", "/a"));
  EXPECT_FALSE(has_folder("", "/a"));
}

}  // namespace

}  // namespace baton
