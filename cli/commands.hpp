// The subcommands of `baton`. Each prints to standard output and returns the exit code: 0: done; 1:
// it failed, or what it looked at is not well; 2: wrong use; 128+n: ended by signal n.
#pragma once

#include <string>
#include <vector>

namespace baton::cli {

// The table of settings, as text or (for docs/settings.md) as Markdown.
enum class SettingsForm { text, markdown, json };
int print_settings(SettingsForm form);

// What was built, of what, and what it found beside itself.
int print_info(bool json);

// The machine as placement sees it, or one captured by `lstopo --of xml`; also as a picture into a
// file, if one is named.
int print_topology(const std::string& captured_file, const std::string& svg_file, bool json);

// What of this system Baton needs or profits from works here, and what to do about what does not.
int examine_system(bool json);

struct TuneOptions {
  std::string output;      // the profile; empty: where mpiexec looks for it
  double seconds = 0;      // to be spent measuring
  bool anew = false;       // what an interrupted run has measured does not count
  std::vector<int> ranks;  // of collectives, ascending; empty: two, a CPU each, and oversubscribed
  std::string hosts;       // of --net, as mpiexec -host has them; empty: this machine's loopback
  std::string host_file;   // the same in a file
};

// Measures this machine and writes its profile.
int tune_machine(const TuneOptions& options);

// Measures which algorithms of collectives are quickest here, and writes that into its profile.
int tune_collectives(const TuneOptions& options);

// Measures the network between two hosts, or the loopback, and writes that into its profile.
int tune_network(const TuneOptions& options);

struct AdviseOptions {
  int ranks = 0;         // 0: as many as mpiexec starts by itself
  std::string topology;  // a captured machine; empty: this one
  bool json = false;
  std::vector<std::string> command;  // empty: advice from the topology alone
  double seconds = 20;               // to be spent running it
  double run_seconds = 0;            // for one run
  std::string figure;                // the pattern that finds it; empty: seconds count
  bool lower_is_better = false;      // of the figure
  bool layouts = false;
};

// Which configurations are worth trying, or which one a command gains from.
int advise_user(const AdviseOptions& options);

// Becomes python3 on the lab's package, with these words (ended by nullptr); returns when it
// cannot.
int run_lab(char** words);

// Where the ranks of a job are: of that whose mpiexec, manager or rank has this process id; 0: of
// the only one.
int show_job(int process, bool json);

// A profile for people; empty: the one in use.
int show_profile(const std::string& file);

}  // namespace baton::cli
