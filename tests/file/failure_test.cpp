#include "file/failure.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>

namespace baton::file {
namespace {

TEST(file_failure, a_system_calls_error_has_the_class_that_the_standard_has_for_it) {
  EXPECT_EQ(class_of_errno(ENOENT), MPI_ERR_NO_SUCH_FILE);
  EXPECT_EQ(class_of_errno(EEXIST), MPI_ERR_FILE_EXISTS);
  for (int error : {EACCES, EPERM}) EXPECT_EQ(class_of_errno(error), MPI_ERR_ACCESS);
  EXPECT_EQ(class_of_errno(EROFS), MPI_ERR_READ_ONLY);
  for (int error : {ETXTBSY, EBUSY}) EXPECT_EQ(class_of_errno(error), MPI_ERR_FILE_IN_USE);
  for (int error : {ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG})
    EXPECT_EQ(class_of_errno(error), MPI_ERR_BAD_FILE);
  for (int error : {ENOSPC, EFBIG}) EXPECT_EQ(class_of_errno(error), MPI_ERR_NO_SPACE);
  EXPECT_EQ(class_of_errno(EDQUOT), MPI_ERR_QUOTA);
  EXPECT_EQ(class_of_errno(ENOMEM), MPI_ERR_NO_MEM);
  EXPECT_EQ(class_of_errno(ESPIPE), MPI_ERR_UNSUPPORTED_OPERATION);
}

TEST(file_failure, every_other_error_is_one_of_io) {
  for (int error : {EIO, EBADF, EINVAL, 9999}) EXPECT_EQ(class_of_errno(error), MPI_ERR_IO);
}

TEST(file_failure, an_explanation_has_the_call_the_file_the_cause_and_a_remedy) {
  EXPECT_EQ(explain_errno(ENOENT, "data/waves.bin", "opening"), MPI_ERR_NO_SUCH_FILE);
  const std::string words = last_explanation().text;
  for (const char* part : {"opening", "data/waves.bin", "No such file", "MPI_MODE_CREATE"})
    EXPECT_NE(words.find(part), std::string::npos) << part << " in: " << words;
}

TEST(file_failure, an_explanation_holds_a_name_of_any_length) {
  const std::string name(5000, 'x');
  EXPECT_EQ(explain_errno(EIO, name.c_str(), "writing 12 bytes at byte 0"), MPI_ERR_IO);
  const std::string words = last_explanation().text;
  EXPECT_NE(words.find("writing 12 bytes at byte 0"), std::string::npos);
  EXPECT_NE(words.find("Input/output error"), std::string::npos) << words;
}

}  // namespace
}  // namespace baton::file
