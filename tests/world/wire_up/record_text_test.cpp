#include "world/wire_up/record_text.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace {

using baton::world::read_record_text;
using baton::world::text_length;
using baton::world::write_record_text;

std::string text_of(const std::vector<unsigned char>& record) {
  std::string text(text_length(record.size()), '?');
  write_record_text(record.data(), record.size(), text.data());
  return text;
}

TEST(record_text, comes_back_as_it_was_whatever_its_length) {
  std::mt19937 random(1);
  for (std::size_t bytes = 0; bytes <= 600; ++bytes) {
    std::vector<unsigned char> record(bytes), again(bytes);
    for (auto& byte : record) byte = static_cast<unsigned char>(random());
    ASSERT_TRUE(read_record_text(text_of(record), again.data(), bytes)) << bytes;
    ASSERT_EQ(record, again);
  }
}

TEST(record_text, has_only_letters_that_every_manager_takes) {
  std::vector<unsigned char> record(256);
  for (std::size_t i = 0; i < record.size(); ++i) record[i] = static_cast<unsigned char>(i * 37);
  for (char letter : text_of(record))
    EXPECT_TRUE(std::isalnum(static_cast<unsigned char>(letter)) || letter == '-' || letter == '_');
}

TEST(record_text, refuses_what_is_no_record_of_that_length) {
  unsigned char record[6];
  EXPECT_FALSE(read_record_text("", record, 6));
  EXPECT_FALSE(read_record_text("0000000", record, 6));
  EXPECT_FALSE(read_record_text("000000000", record, 6));
  EXPECT_FALSE(read_record_text("0000 000", record, 6));
  EXPECT_FALSE(read_record_text(std::string_view("0000\0000", 8), record, 6));
  EXPECT_TRUE(read_record_text("00000000", record, 6));
  EXPECT_TRUE(read_record_text("00", record, 1));
  EXPECT_FALSE(read_record_text("01", record, 1));  // bits that no byte has
}

}  // namespace
