// These are the reports of a job for its user when its ranks have ended: --explain, --stats,
// --trace, --memory-report. Files are opened before the job starts, so that a bad name does not
// cost a whole run.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "launch/run/family.hpp"
#include "launch/run/job.hpp"
#include "status/times.hpp"

namespace baton::launch {

class JobReports {
 public:
  // `family` has the jobs that the ranks have spawned, by the time of write().
  JobReports(const Job& job, const Family& family);
  // Opens the files. False, with a complaint: a file cannot be written.
  bool open();
  // Writes the reports. False, with a complaint: one cannot be written. `give_up` is as in
  // write_text.
  bool write(const std::function<bool()>& give_up);

 private:
  struct File {
    const char* option;
    std::string name;
    int descriptor = -1;  // -1: it was not asked for
  };
  bool open_one(File& file) const;
  // Complains if write_text failed; returns `written`.
  bool is_written(const File& file, bool written) const;
  bool write_file(const File& file, std::string_view text) const;
  bool explain() const;
  bool write_times() const;
  bool write_stats(const status::JobTimes& times) const;
  bool write_timeline(const status::JobTimes& times) const;

  const Job& job_;
  const Family& family_;
  status::TickLength clock_;
  File explain_, stats_, trace_;
  std::function<bool()> give_up_;
};

}  // namespace baton::launch
