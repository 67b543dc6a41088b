// A job over several nodes, each of which has an mpiexec of its own: another launcher has started
// them, one a node (hand_over.hpp), and told each by --on-node how many ranks all have. Each does
// for its ranks what mpiexec does on one node; the ranks find the others through that launcher,
// whose connection the first one of a node is left (src/world/join_nodes.hpp).
#pragma once

#include <expected>
#include <string>
#include <vector>

namespace baton::launch {

struct NodeJob {
  std::vector<int> counts;  // ranks by node; empty: a job of this node alone
  int node = 0;             // this one
  std::string host;         // its name

  bool spans_nodes() const { return !counts.empty(); }
  int first_rank() const;  // of this node
  int ranks() const { return counts[static_cast<std::size_t>(node)]; }
  int all_ranks() const;
};

// Where this process is in "NAME:RANKS,NAME:RANKS" or, without names, "RANKS,RANKS": by the
// launcher's variables. The error says what is missing.
std::expected<NodeJob, std::string> find_node(const std::string& told);

// Tells the launcher that the job is to end on all nodes, where it would not do that by itself for
// a process that has failed: Hydra does so only once MPI has begun there. Before the end.
void tell_launcher_of_failure(int code);

// A report's file on this host: %h stands for the host, which else comes before the name's end:
// stats.json is stats.HOST.json.
std::string file_of_host(const std::string& name, const std::string& host);

}  // namespace baton::launch
