// Pairs of ranks that send long streams of short messages in two copies: the sender from its buffer
// to a segment of MPI's, the receiver from there to its own buffer; no buffer is used twice. As the
// hbm study measured them (KIISE Transactions 44(2), 2017).
#pragma once

#include "sim/machine/plan.hpp"

namespace baton::model {

struct Pairs {
  int count = 1;
  bool across_tiles = false;        // else both of a pair are in one tile, with a common cache
  std::string memory = "all=near";  // as mpiexec --memory takes it: queues= for segments, heap= for
                                    // buffers of MPI_Alloc_mem
  double bytes = 0;                 // that each pair sends
  double written_back = 0;  // so much of each byte of a segment goes to its memory: nothing while
                            // it stays in the tile's cache, all if it moves to another tile
};

struct PlacedPair {
  PlacedRank sender;  // nodes: its buffers'
  PlacedRank receiver;
  int segment;  // node of the segment, the receiver's
};

// By Baton's own planning: neighbors next to each other, or dealt out over tiles. Throws
// std::runtime_error with its words.
std::vector<PlacedPair> place_pairs(const Description& description, const Pairs& pairs);

// A pair is no quicker than pair.bandwidth, if the machine's file has it, nor than either core has
// lines for: buffers' memory and, across tiles, the other tile's cache (tile.remote_latency).
Case case_of_pairs(const Description& description, const std::string& name, const Pairs& pairs,
                   const std::vector<PlacedPair>& placed);

}  // namespace baton::model
