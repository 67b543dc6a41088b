// Views: where the bytes lie that a rank sees, and which filetypes are refused.
#include "file/view.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/file/views.hpp"

namespace baton::file {
namespace {

using datatype::Numbers64;

// Compares with the places of a tile's bytes, one by one.
void compare(const View& view, const std::vector<std::int64_t>& places, std::int64_t extent) {
  const auto tile = static_cast<std::int64_t>(places.size());
  auto place = [&](std::int64_t position) {
    return view.displacement + position / tile * extent +
           places[static_cast<std::size_t>(position % tile)];
  };
  for (std::int64_t position = 0; position < 3 * tile; ++position)
    ASSERT_EQ(view.address(position), place(position)) << "position " << position;
  std::int64_t before = 0;
  for (std::int64_t address = 0; address < place(3 * tile); ++address) {
    while (place(before) < address) ++before;
    ASSERT_EQ(view.position_before(address), before) << "address " << address;
  }
  for (std::int64_t first = 0; first < tile; ++first) {
    ByteRun runs[1000];
    std::int64_t listed, position = first;
    const int count = view.list(first, 2 * tile, runs, 1000, &listed);
    ASSERT_EQ(listed, 2 * tile);
    for (int i = 0; i < count; ++i)
      for (std::int64_t k = 0; k < runs[i].bytes; ++k)
        ASSERT_EQ(runs[i].offset + k, place(position++)) << "run " << i << " from " << first;
    ASSERT_EQ(position, first + 2 * tile);
  }
}

TEST(view, a_file_is_opened_with_all_its_bytes) {
  datatype::make_predefined_datatypes();
  View view;
  set_default_view(view);
  EXPECT_TRUE(view.contiguous);
  EXPECT_TRUE(view.ascends);
  EXPECT_EQ(view.etype_bytes(), 1);
  compare(view, {0}, 1);
}

TEST(view, places_are_those_of_the_filetype_that_repeats) {
  const RunsView runs(13, {3, 1, 2}, {2, 5, 9}, 20);
  EXPECT_FALSE(runs.view.contiguous);
  EXPECT_EQ(runs.view.tile_bytes(), 6);
  EXPECT_EQ(runs.view.average_bytes, 3) << "2 to 6 is one run";
  compare(runs.view, {2, 3, 4, 5, 9, 10}, 20);
  const RunsView tight(0, {2, 2}, {1, 5}, 6);  // the last run touches the next tile's first
  compare(tight.view, {1, 2, 5, 6}, 6);
  const RunsView behind(5, {4}, {100}, 4);
  EXPECT_TRUE(behind.view.contiguous);
  compare(behind.view, {100, 101, 102, 103}, 4);
}

TEST(view, random_places_are_those_of_the_filetype) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 300; ++i) {
    Numbers64 lengths, starts;
    std::vector<std::int64_t> places;
    std::int64_t end = static_cast<std::int64_t>(random() % 30);
    for (std::size_t left = 1 + random() % 6; left > 0; --left) {
      end += static_cast<std::int64_t>(random() % 2 * (random() % 9));
      lengths.push_back(1 + static_cast<std::int64_t>(random() % 5));
      starts.push_back(end);
      for (std::int64_t k = 0; k < lengths.back(); ++k) places.push_back(end++);
    }
    const std::int64_t extent = end - starts[0] + static_cast<std::int64_t>(random() % 3 * 5);
    const RunsView runs(static_cast<MPI_Offset>(random() % 50), lengths, starts, extent);
    SCOPED_TRACE(i);
    compare(runs.view, places, extent);
    if (HasFatalFailure()) return;
  }
}

TEST(view, memory_has_its_origin_where_the_files_bytes_would_have_it) {
  const RunsView runs(100, {1}, {7}, 10);
  char memory[10];
  EXPECT_EQ(runs.view.origin(memory, 95) + 7, memory + (runs.view.address(0) - 95));
}

// ---- what is refused

struct Refusal {
  Error error;
  std::string words;
  MPI_Offset displacement;  // of the view afterwards
};
Refusal refuse(MPI_Offset displacement, MPI_Datatype etype, Datatype* filetype,
               const char* representation, bool writes = true) {
  View view;
  set_default_view(view);
  Datatype& e = *datatype::datatypes.find(etype);
  const Error error =
      change_view(view, displacement, e, filetype ? *filetype : e, representation, writes);
  const Refusal refusal{error, error ? last_explanation().text : "", view.displacement};
  release_view(view);
  return refusal;
}
void expect_refused(const Refusal& refusal, Error error, const char* words) {
  EXPECT_EQ(refusal.error, error);
  EXPECT_NE(refusal.words.find(words), std::string::npos) << refusal.words;
  EXPECT_EQ(refusal.displacement, 0) << "the old view stays";
}

class RefusedView : public testing::Test {
 protected:
  RefusedView() { datatype::make_predefined_datatypes(); }
  ~RefusedView() override {
    for (Datatype* type : made_) datatype::release(*type);
  }
  static Datatype& byte() { return *datatype::datatypes.find(MPI_BYTE); }
  Datatype* keep(Datatype* type) {
    made_.push_back(type);
    return type;
  }
  Datatype* indexed(const Numbers64& lengths, const Numbers64& places) {
    Datatype* made = nullptr;
    EXPECT_EQ(datatype::make_indexed(MPI_COMBINER_HINDEXED, lengths, places, byte(), &made),
              MPI_SUCCESS);
    return keep(made);
  }
  Datatype* resized(Datatype& old, std::int64_t low, std::int64_t extent) {
    Datatype* made = nullptr;
    EXPECT_EQ(datatype::make_resized(old, low, extent, &made), MPI_SUCCESS);
    return keep(made);
  }

 private:
  std::vector<Datatype*> made_;
};

TEST_F(RefusedView, displacements_are_not_negative) {
  expect_refused(refuse(-1, MPI_BYTE, nullptr, "native"), MPI_ERR_ARG, "disp");
}

TEST_F(RefusedView, representations_have_names_that_are_known) {
  expect_refused(refuse(4, MPI_BYTE, nullptr, "external31"), MPI_ERR_UNSUPPORTED_DATAREP,
                 "external31");
  for (const char* name : {"native", "internal", "external32"})
    EXPECT_EQ(refuse(4, MPI_INT, nullptr, name).error, MPI_SUCCESS) << name;
}

TEST_F(RefusedView, a_filetype_is_made_of_etypes) {
  expect_refused(refuse(4, MPI_INT, indexed({6}, {0}), "native"), MPI_ERR_ARG, "etype");
  EXPECT_EQ(refuse(4, MPI_INT, indexed({6, 2}, {0, 10}), "native").error, MPI_SUCCESS);
}

TEST_F(RefusedView, a_filetype_has_no_byte_before_its_origin) {
  expect_refused(refuse(4, MPI_BYTE, indexed({3}, {-2}), "native"), MPI_ERR_ARG, "filetype");
}

TEST_F(RefusedView, a_filetype_has_a_positive_extent) {
  Datatype& four = *indexed({4}, {0});
  expect_refused(refuse(4, MPI_BYTE, resized(four, 0, 0), "native"), MPI_ERR_ARG, "extent");
  expect_refused(refuse(4, MPI_BYTE, resized(four, 0, -8), "native"), MPI_ERR_ARG, "extent");
}

TEST_F(RefusedView, a_file_that_may_be_written_needs_bytes_without_overlaps) {
  Datatype* back = indexed({2, 2}, {8, 0});
  EXPECT_EQ(refuse(4, MPI_BYTE, back, "native", true).error, MPI_SUCCESS);
  Datatype* twice = indexed({4, 4}, {0, 3});
  Datatype* around = resized(*indexed({4}, {0}), 0, 3);
  EXPECT_EQ(refuse(4, MPI_BYTE, around, "native", true).error, MPI_SUCCESS);
  expect_refused(refuse(4, MPI_BYTE, twice, "native", true), MPI_ERR_ARG, "overlap");
  EXPECT_EQ(refuse(4, MPI_BYTE, twice, "native", false).error, MPI_SUCCESS);
}

TEST_F(RefusedView, a_view_may_have_no_bytes) {
  EXPECT_EQ(refuse(4, MPI_INT, indexed({}, {}), "native").error, MPI_SUCCESS);
}

TEST_F(RefusedView, a_refused_view_holds_no_type) {
  Datatype* twice = indexed({4, 4}, {0, 3});
  const auto held = twice->references.load();
  (void)refuse(4, MPI_BYTE, twice, "native", true);
  EXPECT_EQ(twice->references.load(), held);
}

}  // namespace
}  // namespace baton::file
