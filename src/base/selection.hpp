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

#include "base/algorithm.hpp"

namespace baton {

// Who says so, and so how much it counts.
enum class SelectionSource : std::uint8_t { guess, measured, tuned, forced };
// Whether a row is for jobs of more ranks than usable CPUs, for others, or for all.
enum class Load : std::uint8_t { any, oversubscribed, not_oversubscribed };
// Whether a row is for communicators whose ranks are all on one node, on several, or for both.
enum class Nodes : std::uint8_t { any, one, several };

inline constexpr std::int64_t no_end = std::int64_t{1} << 62;

// `bytes` are what one rank gives: its block; in a broadcast or scatter what one gets; in an
// alltoall or reduce_scatter all its blocks; 0 in barriers, and where not all ranks know it.
struct SelectionRow {
  Algorithm algorithm;
  SelectionSource source;
  std::int64_t ranks_from = 1;
  std::int64_t ranks_to = no_end;
  std::int64_t bytes_from = 0;
  std::int64_t bytes_to = no_end;
  const char* where = "";  // machine and date of what was measured
  bool of_all = false;     // bytes are those of all ranks together
  Load load = Load::any;
  // Of a measured row: whether ranks outnumbered CPUs there. Elsewhere it is a guess.
  Load measured = Load::any;
  Nodes nodes = Nodes::one;

  CollectiveKind kind() const { return row_of(algorithm).kind; }
};

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
