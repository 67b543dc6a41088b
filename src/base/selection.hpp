// Which algorithm a collective is to take, as rows of plain data: the built-in ones, those of the
// shipped profile, those of the machine's profile, those of BATON_COLLECTIVES. The last row that
// fits a call and whose algorithm can serve it wins (collective/choose.hpp). As text
// (BATON_COLLECTIVES, profiles): rows with commas between them, each
//   KIND[:RANKS[:BYTES[:oversubscribed|:not_oversubscribed][:one_node|:several_nodes]]]=ALGORITHM
// where RANKS and BYTES are N, N+ or N-M; bytes may end in k or m. Without a word for the nodes a
// row of BATON_COLLECTIVES holds for both, one of a profile for one node, where it was measured.
// Invariant: all ranks of a job have the same rows.
#pragma once

#include <cstdint>
#include <span>

#include "base/selection_row.hpp"

namespace baton {

// The built-in rows and those of the shipped profile (base/shipped_profile.hpp).
std::span<const SelectionRow> default_selection();

// The rows that this process chooses by; the built-in ones until read_selection has run.
std::span<const SelectionRow> selection();

// Reads BATON_PROFILE_COLLECTIVES (what mpiexec hands over of a profile) and BATON_COLLECTIVES,
// once. Entries that are wrong are ignored, and reported on standard error where `report` says so.
void read_selection(bool report);

// Of the rows that hold where ranks are on several nodes, as read_selection reads them: the nodes
// of a job must have the same.
std::uint64_t hash_of_selection_between_nodes();

// The next row of a text: moves `*text` behind it. False at the end. `problem` gets what is wrong
// with the row, in words, else it is empty.
inline constexpr int problem_length = 240;
bool next_selection_row(const char** text, SelectionSource source, SelectionRow* row,
                        char (&problem)[problem_length]);

}  // namespace baton
