// The board of names: what is written is read by its title, and writers do not fail because others
// remove the folder with their last note.
#include "platform/name_board.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>
#include <thread>

namespace baton::platform {
namespace {

std::string entry_of(int number) {
  return "name_board_test." + std::to_string(::getpid()) + "." + std::to_string(number);
}

TEST(name_board, gives_a_text_to_who_knows_its_title_until_it_is_removed) {
  const std::string entry = entry_of(0);
  char text[64];
  ASSERT_TRUE(write_on_board(entry.c_str(), "a title", "a text"));
  EXPECT_FALSE(write_on_board(entry.c_str(), "a title", "another text"));
  EXPECT_EQ(errno, EEXIST);
  EXPECT_FALSE(read_on_board(entry.c_str(), "another title", text, sizeof text));
  ASSERT_TRUE(read_on_board(entry.c_str(), "a title", text, sizeof text));
  EXPECT_STREQ(text, "a text");
  remove_from_board(entry.c_str());
  EXPECT_FALSE(read_on_board(entry.c_str(), "a title", text, sizeof text));
}

TEST(name_board, is_written_while_others_remove_it_with_their_last_note) {
  constexpr int rounds = 2000;
  std::atomic<int> failed{0};
  const auto write_and_remove = [&](int number) {
    const std::string entry = entry_of(number);
    for (int round = 0; round < rounds; ++round) {
      if (!write_on_board(entry.c_str(), "title", "text")) ++failed;
      remove_from_board(entry.c_str());
    }
  };
  std::thread one(write_and_remove, 1), other(write_and_remove, 2);
  one.join();
  other.join();
  EXPECT_EQ(failed, 0);
}

}  // namespace
}  // namespace baton::platform
