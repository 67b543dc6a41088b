#include "launch/reports/job_reports.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "launch/reports/explain.hpp"
#include "launch/reports/memory_report.hpp"
#include "launch/reports/profile_in_use.hpp"
#include "launch/reports/report.hpp"
#include "launch/reports/size_text.hpp"
#include "launch/reports/stats.hpp"
#include "launch/reports/trace.hpp"
#include "launch/run/write_text.hpp"
#include "machine/draw.hpp"

namespace baton::launch {

namespace {

status::TimingPlace timing_place(const JobFile& file) {
  return {file.descriptor, file.made.world.processes, file.made.ranks, file.first_rank,
          file.made.timing};
}

// Reads the records of the ranks of a job under --explain; the ranks have ended.
std::vector<RankReport> read_reports(const JobFile& job) {
  std::vector<RankReport> reports(job.made.ranks);
  lockfree::SliceLayout layout =
      lockfree::slice_layout(job.made.ranks, job.made.rings.deposit.ring_bytes);
  for (std::uint32_t rank = 0; rank < job.made.ranks; ++rank) {
    reports[rank].place = job.places[rank];
    reports[rank].counters = job.row(static_cast<int>(rank)).counters;
    // Records are read, not mapped: where a rank has published nothing there is no memory to map.
    std::uint64_t offset = lockfree::slice_offset(job.made, rank) + layout.record;
    TrafficRecord& record = reports[rank].traffic;
    if (::pread(job.descriptor, &record, sizeof record, static_cast<off_t>(offset)) !=
        static_cast<ssize_t>(sizeof record))
      record = {};
  }
  return reports;
}

// Returns the name of a file of this host and this job, since each of several has files of its own.
std::string name_here(std::string name, const Options& options) {
  if (name.empty()) return name;
  if (options.node_job.spans_nodes()) name = file_of_part(name, options.node_job.host);
  if (options.spawned_number)
    name = file_of_part(name, fmt::format("job{}", options.spawned_number));
  return name;
}

std::string program_words(const Options& options) {
  std::string words;
  for (const Program& program : options.programs) {
    if (!words.empty()) words += " : ";
    for (const std::string& argument : program.arguments)
      words += (&argument == &program.arguments.front() ? "" : " ") + argument;
  }
  return words;
}

}  // namespace

JobReports::JobReports(const Job& job, const Family& family)
    : job_(job),
      family_(family),
      explain_{"--explain-file", name_here(job.options.explain_file, job.options)},
      stats_{"--stats-file", name_here(job.options.stats_file, job.options)},
      trace_{"--trace", name_here(job.options.trace_file, job.options)} {}

bool JobReports::open_one(File& file) const {
  if (file.name.empty()) return true;
  auto opened = open_to_write(file.name, O_TRUNC);
  if (opened)
    file.descriptor = *opened;
  else
    complain(fmt::format("{} {}: {}", file.option, file.name, opened.error()));
  return opened.has_value();
}

bool JobReports::open() {
  return open_one(explain_) && open_one(stats_) && open_one(trace_);
}

bool JobReports::write(const std::function<bool()>& give_up) {
  give_up_ = give_up;
  bool good = !job_.options.explains() || explain();
  if (job_.options.is_timed()) good = write_times() && good;
  if (job_.options.memory_report) report(memory_report(job_.file, job_.machine, job_.memory));
  return good;
}

bool JobReports::is_written(const File& file, bool written) const {
  if (!written)
    complain(fmt::format(
        "{} {}: {}", file.option, file.name,
        errno == EAGAIN ? "nobody read it before the job had to end" : std::strerror(errno)));
  return written;
}

bool JobReports::write_file(const File& file, std::string_view text) const {
  return file.descriptor < 0 || is_written(file, write_text(file.descriptor, text, give_up_));
}

bool JobReports::explain() const {
  std::vector<RankReport> ranks = read_reports(job_.file);
  const ReportedPart part{job_.options.node_job.host, job_.placement.first_rank,
                          job_.options.spawned_number, family_.jobs()};
  std::string json =
      explanation_json(ranks, job_.placement.cpus_usable, part, job_.file.made.near_classes);
  if (job_.options.explain_json)
    report(json);
  else if (job_.options.explain)
    report(fmt::format("mpiexec: where the ranks ran: {}{}{}{}{}",
                       machine::draw_placement(job_.machine, job_.placement),
                       near_text(job_.file.made.near_classes), words_of(job_.profile),
                       spawned_text(family_.jobs()), traffic_text(ranks)));
  return write_file(explain_, json);
}

bool JobReports::write_times() const {
  const status::JobTimes times = status::read_times(timing_place(job_.file), clock_);
  const bool good = !job_.options.has_stats() || write_stats(times);
  return (trace_.descriptor < 0 || write_timeline(times)) && good;
}

bool JobReports::write_stats(const status::JobTimes& times) const {
  const JobStats stats = stats_of(times, program_words(job_.options), job_.options.node_job.host);
  if (job_.options.stats)
    report(job_.options.stats_json ? stats_json(stats, times) : stats_text(stats, times));
  if (stats_.descriptor < 0) return true;
  const bool page = stats_.name.ends_with(".html");
  return write_file(stats_, page ? stats_page(stats, times) : stats_json(stats, times));
}

bool JobReports::write_timeline(const status::JobTimes& times) const {
  const bool written = write_trace(
      timing_place(job_.file), times, program_words(job_.options),
      [&](std::string_view text) { return write_text(trace_.descriptor, text, give_up_); });
  if (!is_written(trace_, written)) return false;
  std::uint64_t lost = 0;
  for (const status::RankTimes& rank : times.ranks) lost += rank.lost_events;
  if (lost)
    complain(
        fmt::format("--trace {}: {} calls and messages had no space in {} (--trace-bytes), so "
                    "its timeline ends early",
                    trace_.name, lost, bytes_text(static_cast<double>(job_.options.trace_bytes))));
  for (std::size_t rank = 0; rank < times.ranks.size(); ++rank)
    if (times.ranks[rank].began && !times.ranks[rank].ended)
      complain(
          fmt::format("--trace {}: rank {} did not end MPI; its row ends where its last call ended",
                      trace_.name, rank));
  return true;
}

}  // namespace baton::launch
