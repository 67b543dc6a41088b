// The (tuned) profile of a machine has the measurements of `baton tune`, the values chosen from
// them, and where and when that was. It wins over the shipped profile of the processor's family,
// which is described in words here, too. mpiexec hands the ranks the chosen values as defaults of
// their settings, and the rows that choose algorithms of collectives. Invariant: a profile that was
// read names only settings and algorithms that exist, with values in their range.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "base/distance.hpp"
#include "base/shipped_profile.hpp"
#include "machine/machine.hpp"

namespace baton::profile {

inline constexpr int format_version = 1;

// A machine is another one if `cpu_model` or `topology` differs. The rest is for people.
struct Identity {
  std::string cpu_model;
  std::string topology;
  std::string kernel;
  int cpus_usable = 0;
  bool cma_permitted = false;
};

// This is one measurement: a variant of a question, between one pair of CPUs, at one size.
struct Cell {
  std::string question;
  std::string variant;
  std::string peers;  // as `mpiexec --explain` names them: l2, l3, numa_node, other
  std::string pattern;
  std::string data;  // warm or cold
  std::int64_t bytes = 0;
  std::vector<double> medians_us;     // one for each round, each the median of several batches
  Distance distance = Distance::far;  // of the two CPUs meanwhile
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

// This is one measurement of collectives: an algorithm, at a number of ranks and a size.
struct CollectiveCell {
  std::string kind;
  std::string algorithm;
  int ranks = 0;
  std::int64_t bytes = 0;  // as rows of the selection count them
  std::vector<double> medians_us;
  Distance distance = Distance::far;  // of the ranks meanwhile
};

// This is a row of the selection (base/selection.hpp), as text.
struct ChosenRow {
  std::string row;
  std::string reason;
};

// These are the results of `baton tune --collectives`.
struct Collectives {
  std::string date;  // empty: it has not been run
  double seconds = 0;
  double budget = 0;
  std::vector<int> ranks;  // numbers of ranks that were measured
  std::vector<CollectiveCell> measured;
  std::vector<ChosenRow> chosen;
};

// These are the results of `baton tune --net` for the network between two ranks. Their settings
// hold for jobs over the same provider of the same libfabric.
struct Network {
  std::string date;  // empty: it has not been run
  double seconds = 0;
  double budget = 0;
  std::vector<std::string> hosts;  // two; empty: this machine's loopback
  std::string provider;
  std::string interface;
  std::string libfabric;       // "2.5"
  std::string arrival;         // "8 B: message 5.1 us, remote write 6.3 us"
  std::string writes;          // the conclusion about remote writes
  std::string offers;          // how other providers and interfaces compare
  std::vector<Cell> measured;  // with peers "network"
  std::vector<Chosen> chosen;
};

struct Profile {
  std::string baton;  // the version that measured
  std::string date;
  Identity machine;
  double seconds = 0;     // spent measuring
  double budget = 0;      // planned seconds
  bool complete = false;  // else `baton tune` was interrupted
  std::vector<Pair> pairs;
  std::vector<Cell> measured;
  std::vector<Chosen> chosen;
  Collectives collectives;
  Network network;
};

// Identifies this machine, as far as another one differs. The caller has to find out cma_permitted.
Identity identity_of(const machine::Machine& machine);

// Returns how `here` differs from the machine that `made` names, in words; empty: it is that
// machine.
std::string difference(const Identity& made, const Identity& here);

// Returns where the profile is when nobody names another: below XDG_CONFIG_HOME or HOME; empty:
// neither is set.
std::string usual_file();

// Returns the profile that is asked for: `named` on a command line, else BATON_PROFILE: a file,
// "none", or a family of processors, whose shipped profile is then used alone. Empty: none is asked
// for.
std::string asked_for(const std::string& named);
// Returns the profile in use: the one asked for, else the usual one if it exists. Empty: none.
std::string file_in_use(const std::string& named);

// Reads a profile. The error names the file, the cause and the remedy.
std::expected<Profile, std::string> read_profile(const std::string& file);
// Writes beside the file and renames, so that there is never half a profile.
std::expected<void, std::string> write_profile(const std::string& file, const Profile& profile);

// Reads the profile as far as it may be used on this machine. The error says why not, and the
// remedy.
std::expected<Profile, std::string> read_usable_profile(const std::string& file,
                                                        const machine::Machine& machine);

// Returns the values that differ from defaults as "name=value,name=value", as settings take them.
std::string values_text(const Profile& profile);
std::string values_text(const ShippedProfile& profile);
// Returns the profile's rows of the selection, as BATON_COLLECTIVES would take them.
std::string rows_text(const Profile& profile);
std::string rows_text(const ShippedProfile& profile);
// Returns the measurements of a network, for ranks (base/network_profile.hpp); empty: there are
// none.
std::string network_text(const Profile& profile);

// Returns whose profile it is, and whether it was measured or is a guess.
std::string words_of(const ShippedProfile& profile);

}  // namespace baton::profile
