// What `baton tune --net` measures, and how times become settings and words. Pure: times in, values
// and reasons out. Called by the command (network.cpp) and by tests.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/tune/question.hpp"
#include "profile/profile.hpp"

namespace baton::cli::tune {

// Questions, as cells name them. How a message arrives over the raw provider: variants "message",
// "write", "polled". How messages of MPI go: those of network_variants.
inline constexpr const char* arrival_question = "arrival";
inline constexpr const char* packets_question = "packets";

std::span<const std::int64_t> arrival_sizes();
std::span<const std::int64_t> packet_sizes();
// "packets": at once; "advertised": written into receives that were posted first; "answered": the
// same without adverts.
std::vector<Variant> network_variants();

// A provider on an interface, by which jobs could go instead.
struct Offer {
  std::string provider;
  std::string interface;
};
std::string name_of(const Offer& offer);  // "tcp on eth0", as cells name it
// Its variants are offers; a short message and a long one.
inline constexpr const char* offers_question = "offers";
std::span<const std::int64_t> offer_sizes();

// Every tuned setting of the network, with value and reason. A value differs from the default only
// where that is better by more than the noise.
std::vector<profile::Chosen> choose_network(std::span<const profile::Cell> cells);

// "8 B: message 5.1 us, remote write 6.3 us"
std::string arrival_words(std::span<const profile::Cell> cells);
// Where a remote write is quicker than a message.
std::string writes_words(std::span<const profile::Cell> cells);

// What a job went over.
struct NetworkPath {
  std::string provider;
  std::string libfabric;
  std::string interfaces[2];  // of the two ranks
};
// From what `mpiexec --explain` said; nothing: it used no network. `hosts`: of the two ranks, or
// none where they share one mpiexec.
std::optional<NetworkPath> read_path(const std::string& explained,
                                     std::span<const std::string> hosts);

// What baton-measure lists, as far as a job would take it: that of the path first.
std::vector<Offer> offers_in(const std::string& listed, const NetworkPath& path, bool one_machine);
// Whether another offer than the first is quicker in both ways by a clear margin, and how to take
// it.
std::string offers_words(std::span<const Offer> offers, std::span<const profile::Cell> cells);

// Hosts as mpiexec takes them ("a:4,b"; a file with one a line), each once, without numbers.
std::vector<std::string> hosts_in_list(const std::string& list);
std::vector<std::string> hosts_in_file(const std::string& text);

// The line of a failed job's output that tells most: Baton's first, which names a remedy, else the
// first.
std::string cause_in(const std::string& output);
bool is_from_baton(const std::string& line);

}  // namespace baton::cli::tune
