#include "file/hint.hpp"

#include <gtest/gtest.h>

#include <string>

namespace baton::file {
namespace {

std::string value_of(const Hints& hints, const char* key, int ranks = 4) {
  Info info;
  EXPECT_EQ(describe_hints(hints, ranks, "mpi,system", info), MPI_SUCCESS);
  char value[MPI_MAX_INFO_VAL];
  return info.get(key, value, sizeof value) ? value : "none";
}

Hints hints_of(const char* key, const char* value, bool opened = false) {
  Hints hints;
  Info info;
  EXPECT_EQ(info.set(key, value), MPI_SUCCESS);
  update_hints(hints, &info, opened);
  return hints;
}

TEST(file_hints, are_automatic_until_they_are_set) {
  Hints hints;
  update_hints(hints, nullptr, false);
  for (const char* key : {"romio_cb_read", "romio_cb_write", "romio_ds_read"})
    EXPECT_EQ(value_of(hints, key), "automatic");
  EXPECT_EQ(value_of(hints, "romio_ds_write"), "none") << "no sieve writes";
  EXPECT_EQ(value_of(hints, "cb_nodes"), "4") << "all ranks";
  EXPECT_EQ(value_of(hints, "cb_buffer_size"), "4194304");
  EXPECT_EQ(value_of(hints, "striping_unit"), "none") << "keys without effect are not told";
}

TEST(file_hints, say_whether_a_way_may_be_taken) {
  for (const char* key : {"romio_cb_read", "romio_cb_write", "romio_ds_read"})
    for (const char* word : {"enable", "disable", "automatic"})
      EXPECT_EQ(value_of(hints_of(key, word), key), word);
  EXPECT_EQ(value_of(hints_of("romio_cb_read", "perhaps"), "romio_cb_read"), "automatic");
}

TEST(file_hints, the_standard_key_is_for_both_directions) {
  const Hints on = hints_of("collective_buffering", "true");
  EXPECT_EQ(on.collective_read, Use::enable);
  EXPECT_EQ(on.collective_write, Use::enable);
  const Hints off = hints_of("collective_buffering", "false");
  EXPECT_EQ(off.collective_read, Use::disable);
  EXPECT_EQ(off.collective_write, Use::disable);
  EXPECT_EQ(hints_of("collective_buffering", "maybe").collective_read, Use::automatic);
}

TEST(file_hints, the_key_for_a_direction_goes_before_the_one_for_both) {
  Hints hints;
  Info info;
  ASSERT_EQ(info.set("romio_cb_read", "enable"), MPI_SUCCESS);
  ASSERT_EQ(info.set("collective_buffering", "false"), MPI_SUCCESS);
  update_hints(hints, &info, false);
  EXPECT_EQ(hints.collective_read, Use::enable);
  EXPECT_EQ(hints.collective_write, Use::disable);
}

TEST(file_hints, keep_what_an_info_does_not_name) {
  Hints hints = hints_of("romio_ds_read", "enable");
  Info info;
  ASSERT_EQ(info.set("ind_rd_buffer_size", "1000"), MPI_SUCCESS);
  update_hints(hints, &info, true);
  EXPECT_EQ(hints.sieve_read, Use::enable);
  EXPECT_EQ(hints.read_bytes, 1000);
}

TEST(file_hints, only_positive_numbers_are_sizes) {
  for (const char* word : {"0", "-5", "12 KiB", "many"}) {
    EXPECT_EQ(hints_of("ind_rd_buffer_size", word).read_bytes, Hints{}.read_bytes) << word;
    EXPECT_EQ(hints_of("cb_nodes", word).aggregators, 0) << word;
  }
  EXPECT_EQ(hints_of("cb_buffer_size", "70000").collective_bytes, 70000);
}

TEST(file_hints, an_open_file_keeps_the_size_of_its_shared_buffer) {
  EXPECT_EQ(hints_of("cb_buffer_size", "70000", true).collective_bytes, Hints{}.collective_bytes);
  EXPECT_EQ(hints_of("ind_rd_buffer_size", "70000", true).read_bytes, 70000);
}

TEST(file_hints, the_shared_buffer_has_a_piece_at_least) {
  EXPECT_EQ(hints_of("cb_buffer_size", "1").collective_bytes, collective_bytes_min);
}

TEST(file_hints, no_more_ranks_move_pieces_than_there_are) {
  EXPECT_EQ(value_of(hints_of("cb_nodes", "2"), "cb_nodes"), "2");
  EXPECT_EQ(value_of(hints_of("cb_nodes", "9"), "cb_nodes"), "4");
  EXPECT_EQ(hints_of("cb_nodes", "5000000000").aggregators, INT32_MAX);
}

TEST(file_hints, keep_a_promise_about_memory_kinds_that_can_be_kept) {
  constexpr const char* key = "mpi_assert_memory_alloc_kinds";
  EXPECT_EQ(value_of(Hints(), "mpi_memory_alloc_kinds"), "mpi,system");
  EXPECT_EQ(value_of(Hints(), key), "none");
  EXPECT_EQ(value_of(hints_of(key, "system,mpi"), key), "system,mpi");
  EXPECT_EQ(value_of(hints_of(key, "system,nothing"), key), "none");
}

}  // namespace
}  // namespace baton::file
