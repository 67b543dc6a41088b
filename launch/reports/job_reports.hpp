// What a job leaves behind for its user when its ranks have ended: --explain, --stats, --trace,
// --memory-report. Files are opened before it starts, so that a bad name does not cost a whole run.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "launch/run/job.hpp"
#include "status/times.hpp"

namespace baton::launch {

class JobReports {
 public:
  explicit JobReports(const Job& job);
  // False, and said why: a file cannot be written.
  bool open();
  // The same. `give_up` as in write_text.
  bool write(const std::function<bool()>& give_up);

 private:
  struct File {
    const char* option;
    std::string name;
    int descriptor = -1;  // it was not asked for
  };
  bool open_one(File& file) const;
  // Of what was written with write_text.
  bool is_written(const File& file, bool written) const;
  bool write_file(const File& file, std::string_view text) const;
  bool explain() const;
  bool write_times() const;
  bool write_stats(const status::JobTimes& times) const;
  bool write_timeline(const status::JobTimes& times) const;

  const Job& job_;
  status::TickLength clock_;
  File explain_, stats_, trace_;
  std::function<bool()> give_up_;
};

}  // namespace baton::launch
