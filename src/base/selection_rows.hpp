// These functions make rows of the selection, and say what they were measured by. The rows that
// hold on every processor (base/built_in_rows.hpp) and those of shipped profiles
// (base/shipped_profile.cpp) are made by them. Other code calls base/selection.hpp.
#pragma once

#include <cstdint>

#include "base/selection_row.hpp"

namespace baton::selection_rows {

using enum Algorithm;

constexpr SelectionRow guess(Algorithm algorithm, std::int64_t ranks_from,
                             std::int64_t bytes_from = 0) {
  return {algorithm, SelectionSource::guess, ranks_from, no_end, bytes_from, no_end};
}

// Each of two ranks writes next in a room the lines it has read last (lockfree/room.hpp), so blocks
// were quicker than messages where both give and get, at any length (us, messages and room, Emerald
// Rapids: allgather 32 KiB 7.7 3.7, just written 9.6 5.0; 256 KiB 39 29, 61 37; alltoall blocks of
// 16 KiB 2.7 2.2, 5.3 3.0; allreduce 8 KiB 2.4 2.0, 32 KiB 8.0 5.4, 256 KiB 36 29, 1 MiB 153 158,
// 246 206; reduce_scatter 4 KiB 1.16 .98, 32 KiB 5.1 3.7, 1 MiB 218 181; Zen 4: allgather 4 KiB .78
// .45, 64 KiB 6.2 5.0; alltoall blocks of 4 KiB .81 .47, 64 KiB 6.2 5.6, 1 MiB 96 99;
// reduce_scatter 128 KiB 7.7 4.3, 2 MiB 122 84; segmented allreduce there: not measured). Where
// data flows one way, only short ones are, since the lines read are still in the other's cache (512
// B, 2, 4 KiB: broadcast .43 .39, .70 .71, 1.10 1.06; scatter .46 .40, .70 .72, 1.15 1.05; on Zen 4
// broadcast 2 KiB .35 .30, 8 KiB .57 1.12).
constexpr SelectionRow of_two(Algorithm algorithm, std::int64_t bytes_from,
                              std::int64_t bytes_to = no_end) {
  return {algorithm,
          SelectionSource::measured,
          2,
          2,
          bytes_from,
          bytes_to,
          "2 cores of a Zen 4 and of an Emerald Rapids virtual machine, 2026-11-23",
          false,
          Load::any,
          Load::not_oversubscribed};
}
// The longest data that goes through blocks: beyond it messages are quicker where it flows one way,
// segments where both ranks combine.
inline constexpr std::int64_t one_way = 1023, both_ways = 4096;

// Messages from 1 KiB on go whole in one buffer, and long ones choose between one copy and two by
// the time from call to call. Since then they are quicker than a room where data flows one way, and
// where long unchanged blocks flow both ways (us, room and messages: gather 2,
// 4 KiB .68 .57, 1.05 .77; scatter 4 KiB 1.01 .77; broadcast 1.01 .76; reduce 1.14 .96; allgather
// 64 KiB 6.8 5.2, just written 9.0 10.9; 256 KiB 27 16, 35 35; 512 KiB 69 64, 95 116; alltoall
// blocks of 64 KiB 6.8 5.3, 10.1 11.2; 256 KiB 27 16, 40 44; 1 MiB 256 213, 409 401).
constexpr SelectionRow of_two_far(Algorithm algorithm, std::int64_t bytes_from,
                                  std::int64_t bytes_to = no_end) {
  SelectionRow row = of_two(algorithm, bytes_from, bytes_to);
  row.where = "2 far cores of a virtual machine with Intel Xeon (its kind hidden), 2026-11-28";
  return row;
}

// Scans of two ranks are quicker in a room as long as they fit into one (us, by messages and in the
// room: 8 KiB 1.85 .73, 16 KiB 4.0 1.6, 64 KiB 13.7 6.6; exscan 8 KiB 1.81 .63, 64 KiB 12.7 5.7; by
// `baton tune` .23 of the time at 8 KiB on Zen 4, .38 to .59 on Zen 5).
constexpr SelectionRow of_two_scans(Algorithm algorithm) {
  return of_two_far(algorithm, both_ways + 1);
}

// More ranks send what exceeds a room's blocks segment by segment, or by direct copies; the longest
// allreduces go by messages. Each limit between measured sizes is a guess
// (docs/decisions/collectives.md).
constexpr SelectionRow of_more(Algorithm algorithm, std::int64_t bytes_from,
                               std::int64_t ranks_from = 3) {
  return {algorithm,
          SelectionSource::measured,
          ranks_from,
          no_end,
          bytes_from,
          no_end,
          "2 cores of a Zen 4 virtual machine, 8 and 32 ranks, 2026-11-22",
          false,
          Load::any,
          Load::oversubscribed};
}
// Where ranks outnumber CPUs, these are the best for longer reductions (us, least of 3 turns,
// before and chain: 4 ranks, reduce 64 KiB 13.9 9.8, allreduce 16 KiB 17.3 10.7, reduce_scatter of
// 64 KiB 18.5 13.2; 8 ranks, 64 KiB 32.5 33, 40.9 67.9, of 256 KiB 108 80; 32 ranks, 256 KiB 2269
// 658, 2916 1369, of 256 KiB 581 663, of 2 MiB 6580 3619).
constexpr SelectionRow of_oversubscribed(Algorithm algorithm, std::int64_t bytes_from,
                                         std::int64_t ranks_from, std::int64_t ranks_to = no_end) {
  return {algorithm,
          SelectionSource::measured,
          ranks_from,
          ranks_to,
          bytes_from,
          no_end,
          "2 cores of a Zen 4 virtual machine, 4, 8 and 32 ranks, 2026-11-23",
          false,
          Load::oversubscribed,
          Load::oversubscribed};
}
inline constexpr std::int64_t beyond_a_room = 65537;
// Where ranks outnumber CPUs, segments through a room beat direct copies, each of which is a system
// call, for what is longer than a room's blocks (us, direct and segments: broadcast of 4 ranks 128
// KiB 45 16, 1 MiB 411 173; 8 ranks 128 KiB 94 33, 1 MiB 811 436, just written 980 725; 32 ranks
// 128 KiB 1160 435, 512 KiB 2261 1894, 2 MiB 8374 9868; allgather of 4 ranks 256 KiB 232 200, 374
// 261; 8 ranks 128 KiB 596 451, 868 512; 32 ranks 128 KiB 17.9 13.3 ms, 24.6 18.9).
constexpr SelectionRow of_oversubscribed_by_segments(Algorithm algorithm, std::int64_t ranks_from,
                                                     std::int64_t ranks_to = no_end,
                                                     std::int64_t bytes_to = no_end) {
  SelectionRow row = of_oversubscribed(algorithm, beyond_a_room, ranks_from, ranks_to);
  row.bytes_to = bytes_to;
  row.where =
      "2 far cores of a virtual machine with Intel Xeon (its kind hidden), 4, 8 and 32 ranks, "
      "2026-11-28";
  return row;
}
inline constexpr std::int64_t some_ranks = 6,
                              many_ranks = 16;  // guesses: between 4 and 8, 8 and 32

// From this many bytes of all ranks together on, each combines only a part; a guess.
inline constexpr SelectionRow by_parts{
    allreduce_by_parts_in_room, SelectionSource::guess, 3, no_end, 16385, no_end, "", true};

// These are for many ranks that have a CPU each and that the machine divides into groups: a rank
// that reads few lines waits less for far ones. They are guesses.
constexpr SelectionRow hierarchical(Algorithm algorithm) {
  return {algorithm, SelectionSource::guess,  many_ranks, no_end, 0, no_end, "",
          false,     Load::not_oversubscribed};
}

// A room of this many ranks or more has shorter blocks (lockfree/room_size.hpp); longer data goes
// as data beyond any room's blocks does. The limit is a guess.
inline constexpr std::int64_t large = 65;

// Short calls of many ranks without a room take algorithms with few partners: the first message of
// two ranks costs memory and time, a step of all ranks turns of the CPUs. These are guesses.
constexpr SelectionRow short_of_many(Algorithm algorithm, std::int64_t bytes_to) {
  return {algorithm, SelectionSource::guess, 33, no_end, 0, bytes_to};
}

// Between nodes calls go by messages alone: short ones in few steps, long ones in short messages.
// These rows are guesses.
constexpr SelectionRow between_nodes(Algorithm algorithm, std::int64_t bytes_from = 0,
                                     std::int64_t bytes_to = no_end) {
  SelectionRow row{algorithm, SelectionSource::guess, 1, no_end, bytes_from, bytes_to};
  row.nodes = Nodes::several;
  return row;
}

// Nodes of several ranks exchange few messages (us, by messages of all ranks and by nodes, 2 hosts
// of 4 ranks: barrier 117 54, broadcast 8 B 30 18, 16 KiB 58 43, reduce 8 B 45 24, 1 MiB 3300 1700,
// allreduce 8 B 74 55, 128 KiB 770 410, allgather 8 B 110 62, 16 KiB 330 400, 128 KiB 1500 1700,
// gather 8 B 64 26, 16 KiB 53 60, scatter 8 B 41 22, 16 KiB 70 65, 64 KiB 160 198; medians of 1 or
// 2 runs, not quiet; alltoall blocks of 1 KiB 164 103, 16 KiB 310 685, quiet).
constexpr SelectionRow by_nodes(Algorithm algorithm, std::int64_t bytes_from = 0,
                                std::int64_t bytes_to = no_end) {
  return {algorithm,
          SelectionSource::measured,
          1,
          no_end,
          bytes_from,
          bytes_to,
          "2 hosts of 4 ranks on 2 cores of a Zen 4 virtual machine, over TCP, 2026-11-25",
          false,
          Load::any,
          Load::oversubscribed,
          Nodes::several};
}

}  // namespace baton::selection_rows
