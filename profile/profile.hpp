// The profile of a machine, the tuned one: what `baton tune` measured, what it chose from that, and
// where and when. It wins over the shipped profile of the processor's family, whose words are here.
// mpiexec hands the chosen values to the ranks as defaults of their settings, and the rows of which
// algorithm collectives take. Invariant: a profile that was read names only settings and algorithms
// that there are, with values in their range.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "base/shipped_profile.hpp"
#include "machine/machine.hpp"

namespace baton::profile {

inline constexpr int format_version = 1;

// What makes a machine another one: `cpu_model` and `topology`. The rest is for people.
struct Identity {
  std::string cpu_model;
  std::string topology;
  std::string kernel;
  int cpus_usable = 0;
  bool cma_permitted = false;
};

// One thing measured: a variant of a question, between one pair of CPUs, at one size.
struct Cell {
  std::string question;
  std::string variant;
  std::string peers;  // as `mpiexec --explain` names them: l2, l3, numa_node, other
  std::string pattern;
  std::string data;  // warm or cold
  std::int64_t bytes = 0;
  std::vector<double> medians_us;  // one a round, each the median of several batches
};

struct Pair {
  std::string peers;
  int cpus[2] = {-1, -1};
};

struct Chosen {
  std::string setting;
  std::int64_t value = 0;
  std::string reason;
};

// One thing measured of collectives: an algorithm, at a number of ranks and a size.
struct CollectiveCell {
  std::string kind;
  std::string algorithm;
  int ranks = 0;
  std::int64_t bytes = 0;  // as rows of the selection count them
  std::vector<double> medians_us;
};

// A row of the selection (base/selection.hpp), as text.
struct ChosenRow {
  std::string row;
  std::string reason;
};

// What `baton tune --collectives` has found out.
struct Collectives {
  std::string date;  // empty: it has not been run
  double seconds = 0;
  double budget = 0;
  std::vector<int> ranks;  // how many were measured
  std::vector<CollectiveCell> measured;
  std::vector<ChosenRow> chosen;
};

// What `baton tune --net` has found out of the network between two ranks. Its settings hold for
// jobs over the same provider of the same libfabric.
struct Network {
  std::string date;  // empty: it has not been run
  double seconds = 0;
  double budget = 0;
  std::vector<std::string> hosts;  // two; empty: this machine's loopback
  std::string provider;
  std::string interface;
  std::string libfabric;       // "2.5"
  std::string arrival;         // "8 B: message 5.1 us, remote write 6.3 us"
  std::string writes;          // what that says of remote writes
  std::string offers;          // how other providers and interfaces compare
  std::vector<Cell> measured;  // their peers: "network"
  std::vector<Chosen> chosen;
};

struct Profile {
  std::string baton;  // the version that measured
  std::string date;
  Identity machine;
  double seconds = 0;     // spent measuring
  double budget = 0;      // to be spent
  bool complete = false;  // else `baton tune` was interrupted
  std::vector<Pair> pairs;
  std::vector<Cell> measured;
  std::vector<Chosen> chosen;
  Collectives collectives;
  Network network;
};

// This machine, as far as another one differs; cma_permitted is the caller's to find out.
Identity identity_of(const machine::Machine& machine);

// How `here` is not the machine that `made` names, in words; empty: it is.
std::string difference(const Identity& made, const Identity& here);

// Where the profile is when nobody names another: below XDG_CONFIG_HOME or HOME; empty: neither.
std::string usual_file();

// What is asked for: `named` on a command line, else BATON_PROFILE: a file, "none", or a family of
// processors, whose shipped profile is then used alone. Empty: nothing.
std::string asked_for(const std::string& named);
// The profile that holds: the one asked for, else the usual one if it is there. Empty: none.
std::string file_in_use(const std::string& named);

// The error names the file, the cause and the remedy.
std::expected<Profile, std::string> read_profile(const std::string& file);
// Writes beside the file and renames, so that there is never half a profile.
std::expected<void, std::string> write_profile(const std::string& file, const Profile& profile);

// The profile as far as it may be used on this machine. The error says why not, and the remedy.
std::expected<Profile, std::string> read_usable_profile(const std::string& file,
                                                        const machine::Machine& machine);

// What differs from the defaults as "name=value,name=value", as the library's settings take it.
std::string values_text(const Profile& profile);
std::string values_text(const ShippedProfile& profile);
// Its rows of the selection, as BATON_COLLECTIVES would take them.
std::string rows_text(const Profile& profile);
std::string rows_text(const ShippedProfile& profile);
// What was measured of a network, for ranks (base/network_profile.hpp); empty: nothing was.
std::string network_text(const Profile& profile);

// Whose it is, and whether it was measured or is a guess.
std::string words_of(const ShippedProfile& profile);

}  // namespace baton::profile
