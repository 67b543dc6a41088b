// The selection says which algorithm a collective is to take, as rows of plain data: the built-in
// ones, those of the shipped profile, those of the machine's profile, those of BATON_COLLECTIVES.
// The last row that fits a call and whose algorithm can serve it wins (collective/choose.hpp). As
// text (BATON_COLLECTIVES, profiles) the rows have commas between them, and each is
//   KIND[:RANKS[:BYTES[:oversubscribed|:not_oversubscribed][:one_node|:several_nodes]
//     [:near|:far]]]=ALGORITHM
// where RANKS and BYTES are N, N+ or N-M; bytes may end in k or m. Without a word for the nodes a
// row of BATON_COLLECTIVES holds for both, one of a profile for one node, where it was measured.
// Ranks are near if all of them share what mpiexec has found to be near; else they are far.
// Invariant: all ranks of a job have the same rows.
#pragma once

#include <cstdint>
#include <span>

#include "base/selection_row.hpp"

namespace baton {

// Returns the built-in rows and those of the shipped profile (base/shipped_profile.hpp).
std::span<const SelectionRow> default_selection();

// Returns the rows by which this process chooses. Until read_selection has run, these are the
// built-in ones.
std::span<const SelectionRow> selection();

// Reads BATON_PROFILE_COLLECTIVES (a profile's rows, which mpiexec hands over) and
// BATON_COLLECTIVES, once. Entries that are wrong are ignored, and reported on standard error if
// `report` is true.
void read_selection(bool report);

// Returns whether a row of the default selection, or of this text, names a distance.
bool selection_names_distance(const char* rows);

// Returns a hash of the rows that hold where ranks are on several nodes, as read_selection reads
// them. All nodes of a job must have the same rows.
std::uint64_t hash_of_selection_between_nodes();

// Reads the next row of a text and moves `*text` behind it. False at the end. `problem` says in
// words what is wrong with the row; else it is empty.
inline constexpr int problem_length = 240;
bool next_selection_row(const char** text, SelectionSource source, SelectionRow* row,
                        char (&problem)[problem_length]);

}  // namespace baton
