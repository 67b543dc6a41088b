// This says what `baton tune --net` measures, and turns times into settings and words. It is pure:
// times in, values and reasons out. The command (network.cpp) and tests call it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/tune/question.hpp"
#include "profile/profile.hpp"

namespace baton::cli::tune {

// These are the questions, as cells name them: how a message arrives over the raw provider
// (variants "message", "write", "polled"), and how messages of MPI go (the variants of
// network_variants).
inline constexpr const char* arrival_question = "arrival";
inline constexpr const char* packets_question = "packets";

std::span<const std::int64_t> arrival_sizes();
std::span<const std::int64_t> packet_sizes();
// The variants are "packets" (messages go at once), "advertised" (they are written into receives
// that were posted first) and "answered" (they are written without adverts).
std::vector<Variant> network_variants();

// This is a provider on an interface, by which jobs could go instead.
struct Offer {
  std::string provider;
  std::string interface;
};
std::string name_of(const Offer& offer);  // "tcp on eth0", as cells name it
// The variants of this question are offers; it has a short message and a long one.
inline constexpr const char* offers_question = "offers";
std::span<const std::int64_t> offer_sizes();

// Returns every tuned setting of the network, with value and reason. A value differs from the
// default only where that is better by more than the noise.
std::vector<profile::Chosen> choose_network(std::span<const profile::Cell> cells);

// Returns "8 B: message 5.1 us, remote write 6.3 us".
std::string arrival_words(std::span<const profile::Cell> cells);
// Returns at which sizes a remote write is quicker than a message.
std::string writes_words(std::span<const profile::Cell> cells);

// This says over which network a job went.
struct NetworkPath {
  std::string provider;
  std::string libfabric;
  std::string interfaces[2];  // of the two ranks
};
// Reads the path from the output of `mpiexec --explain`; nothing: the job used no network. `hosts`
// are those of the two ranks, or none where they share one mpiexec.
std::optional<NetworkPath> read_path(const std::string& explained,
                                     std::span<const std::string> hosts);

// Returns the offers that baton-measure lists, as far as a job would take them, that of `path`
// first.
std::vector<Offer> offers_in(const std::string& listed, const NetworkPath& path, bool one_machine);
// Says whether another offer than the first is quicker for both messages by a clear margin, and how
// to choose it.
std::string offers_words(std::span<const Offer> offers, std::span<const profile::Cell> cells);

// Returns hosts as mpiexec takes them ("a:4,b"; a file with one a line), each once, without
// numbers.
std::vector<std::string> hosts_in_list(const std::string& list);
std::vector<std::string> hosts_in_file(const std::string& text);

// Returns the most useful line of a failed job's output: Baton's first, which names a remedy, else
// the first.
std::string cause_in(const std::string& output);
bool is_from_baton(const std::string& line);

}  // namespace baton::cli::tune
