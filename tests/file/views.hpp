// Views for tests: of bytes at given places of a tile.
#pragma once

#include <gtest/gtest.h>

#include "file/view.hpp"
#include "tests/datatype/make.hpp"

namespace baton::file {

// A view of runs of bytes in tiles of `extent` bytes.
class RunsView {
 public:
  RunsView(MPI_Offset displacement, const datatype::Numbers64& lengths,
           const datatype::Numbers64& places, std::int64_t extent) {
    datatype::make_predefined_datatypes();
    Datatype& byte = *datatype::datatypes.find(MPI_BYTE);
    Datatype *runs = nullptr, *tile = nullptr;
    set_default_view(view);
    EXPECT_EQ(datatype::make_indexed(MPI_COMBINER_HINDEXED, lengths, places, byte, &runs),
              MPI_SUCCESS);
    EXPECT_EQ(datatype::make_resized(*runs, 0, extent, &tile), MPI_SUCCESS);
    EXPECT_EQ(change_view(view, displacement, byte, *tile, "native", true), MPI_SUCCESS);
    datatype::release(*runs);
    datatype::release(*tile);
  }
  ~RunsView() { release_view(view); }
  RunsView(const RunsView&) = delete;
  RunsView& operator=(const RunsView&) = delete;

  View view;
};

}  // namespace baton::file
