// Writes that fail while the program ignores errors: what is said of them when the file is closed.
#include "file/lost_data.hpp"

#include <gtest/gtest.h>

#include <string>

namespace baton::file {
namespace {

// What is printed at the close of a file whose errors go to a handler.
std::string told(const LostData& lost, ErrorHandler::Action action) {
  ErrorHandler handler(action);
  ErrorTarget errors(ObjectKind::file);
  errors.handler = &handler;
  testing::internal::CaptureStderr();
  tell_of_lost_data(lost, errors);
  errors.handler = nullptr;
  return testing::internal::GetCapturedStderr();
}

LostData lose(const char* what) {
  LostData lost;
  (void)fail(MPI_ERR_NO_SPACE, "%s", what);
  note_lost_data(lost);
  return lost;
}

TEST(lost_data, a_program_that_has_not_looked_is_told_when_it_closes_the_file) {
  const std::string words = told(lose("writing 5 bytes"), ErrorHandler::Action::return_code);
  EXPECT_NE(words.find("writing 5 bytes"), std::string::npos) << words;
}

TEST(lost_data, nothing_is_told_where_nothing_was_lost) {
  EXPECT_EQ(told(LostData{}, ErrorHandler::Action::return_code), "");
}

TEST(lost_data, a_program_that_has_looked_at_an_error_is_told_nothing) {
  const LostData lost = lose("writing 5 bytes");
  note_look();
  EXPECT_EQ(told(lost, ErrorHandler::Action::return_code), "");
}

TEST(lost_data, a_look_before_the_loss_is_none) {
  note_look();
  EXPECT_NE(told(lose("writing 5 bytes"), ErrorHandler::Action::return_code), "");
}

TEST(lost_data, who_has_a_handler_of_errors_needs_no_message) {
  EXPECT_EQ(told(lose("writing 5 bytes"), ErrorHandler::Action::call_user), "");
}

TEST(lost_data, the_first_loss_is_the_one_that_is_told) {
  LostData lost = lose("writing 5 bytes");
  (void)fail(MPI_ERR_IO, "writing 6 bytes");
  note_lost_data(lost);
  const std::string words = told(lost, ErrorHandler::Action::return_code);
  EXPECT_NE(words.find("writing 5 bytes"), std::string::npos) << words;
  EXPECT_EQ(words.find("writing 6 bytes"), std::string::npos) << words;
}

TEST(lost_data, an_explanation_of_any_length_is_cut) {
  const std::string words =
      told(lose(std::string(600, 'x').c_str()), ErrorHandler::Action::return_code);
  EXPECT_NE(words.find("xxxx"), std::string::npos);
}

}  // namespace
}  // namespace baton::file
