// These are the subcommands of `baton`. Each prints to standard output and returns the exit code:
// 0: done; 1: it failed, or it found a problem; 2: wrong use; 128+n: ended by signal n.
#pragma once

#include <string>
#include <vector>

namespace baton::cli {

// Prints the table of settings, as text, JSON or (for docs/settings.md) Markdown.
enum class SettingsForm { text, markdown, json };
int print_settings(SettingsForm form);

// Prints which version was built, with which libraries, and the files found beside this one.
int print_info(bool json);

// Prints the machine as placement sees it, or one captured by `lstopo --of xml`. It also draws a
// picture into a file, if one is named.
int print_topology(const std::string& captured_file, const std::string& svg_file, bool json);

// Examines which of the features that Baton needs or profits from work on this system, and how to
// mend others.
int examine_system(bool json);
// Examines a folder in which programs have their files: what file system lies there, and what of it
// works for MPI files.
int examine_folder(const std::string& path, bool json);

struct TuneOptions {
  std::string output;      // file of the profile; empty: where mpiexec looks for it
  double seconds = 0;      // to be spent measuring
  bool anew = false;       // measurements of an interrupted run do not count
  std::vector<int> ranks;  // for collectives, ascending; empty: two, a CPU each, and oversubscribed
  std::string hosts;       // for --net, as mpiexec -host has them; empty: this machine's loopback
  std::string host_file;   // hosts in a file
};

// Measures this machine and writes its profile.
int tune_machine(const TuneOptions& options);

// Measures which algorithms of collectives are quickest here, and writes that into its profile.
int tune_collectives(const TuneOptions& options);

// Measures the network between two hosts, or the loopback, and writes that into its profile.
int tune_network(const TuneOptions& options);

struct AdviseOptions {
  int ranks = 0;         // 0: as many as mpiexec starts by default
  std::string topology;  // a captured machine; empty: this one
  bool json = false;
  std::vector<std::string> command;  // empty: advice from the topology alone
  double seconds = 20;               // to be spent running it
  double run_seconds = 0;            // for one run
  std::string figure;                // the pattern that finds it; empty: seconds are compared
  bool lower_is_better = false;      // of the figure
  bool layouts = false;
};

// Advises which configurations are worth trying, or from which one a command gains.
int advise_user(const AdviseOptions& options);

// Becomes python3 on the lab's package, with these words (ended by nullptr). It returns only when
// that fails.
int run_lab(char** words);

// Shows where the ranks of a job are. The job is the one whose mpiexec, manager or rank has this
// process id; 0: the only job.
int show_job(int process, bool json);

// Prints a profile for people; empty: the one in use.
int show_profile(const std::string& file);

}  // namespace baton::cli
