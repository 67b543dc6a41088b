// Questions in JSON, and their answers. A question is one of
//   {operation, bytes, ranks, ranks_per_node, algorithm: NAME | "chosen", by: "flows" | "shares" |
//    "auto", then_barrier: true | false}: how long the collective takes, or it and a barrier after
//    it; by "count": how many messages and bytes are sent
//   {operation: "scatter", order: "rank" | "status" | "blocking", bytes, ranks, busy, busy_bytes,
//   by} {operation: "startup", ranks, ranks_per_node, fan_out, contacts, by} {operation: "memory",
//   ranks, ranks_per_node, near, far} {operation: "selection", of, ranks, ranks_per_node,
//   bytes_max}: what the library takes, by size
// An answer is the question and what was found; `kind` says whether that is "simulated" (flows) or
// "modelled" (shares, samples of them, closed form), `by` how.
#pragma once

#include "sim/cluster/platform.hpp"

namespace baton::cluster {

// By flows to so many ranks; an alltoall to fewer, and nothing of more messages.
inline constexpr int flows_ranks_max = 1024, flows_alltoall_max = 256;
inline constexpr std::int64_t flows_messages_max = 300'000;

// Throws std::runtime_error, which names the question, for what is wrong or unknown.
Json answers_to(const Fabric& fabric, const Json& questions);

// The fabric's numbers, each with its reference, and the algorithms that there are.
Json describe(const Fabric& fabric);

}  // namespace baton::cluster
