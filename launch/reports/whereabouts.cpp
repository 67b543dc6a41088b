#include "launch/reports/whereabouts.hpp"

#include <fmt/format.h>

#include "status/report.hpp"
#include "status/wait_graph.hpp"

namespace baton::launch {

namespace {

std::vector<status::RankStatus> look(const JobFile& file, std::span<const pid_t> processes) {
  return status::read_board(
      {&file.row(0), file.made.ranks, file.first_rank, file.made.world.processes}, processes);
}

}  // namespace

std::string whereabouts(const JobFile& file, std::span<const pid_t> processes,
                        const std::string& why) {
  std::vector<status::RankStatus> ranks = look(file, processes);
  status::measure_cpu(ranks, 0.1);
  return fmt::format("{}; the ranks are here:\n{}", why, status::report_text(ranks, "  "));
}

bool CycleWatch::has_found(const JobFile& file, std::span<const pid_t> processes,
                           double now_seconds) {
  const std::vector<status::RankStatus> ranks = look(file, processes);
  std::vector<std::pair<int, std::int64_t>> cycle;
  for (int rank : status::wait_graph_of(ranks).cycle)
    cycle.emplace_back(rank, ranks[static_cast<std::size_t>(rank)].wait.since_ns);
  if (cycle.empty() || cycle != cycle_) {
    cycle_ = std::move(cycle);
    since_ = now_seconds;
    told_ = false;
  }
  if (cycle_.empty() || told_ || now_seconds - since_ < seconds) return false;
  return told_ = true;
}

// A rank that sleeps in MPI polls now and then, which costs it some CPU time; so it has moved only
// if it waits for something else.
bool IdleWatch::has_moved(const Trace& before, const status::RankStatus& rank) const {
  if (before.phase != rank.phase) return true;
  if (rank.waits || before.wait_began)
    return before.wait_began != (rank.waits ? rank.wait.since_ns : 0);
  return rank.look.state == 'R' || rank.look.cpu_ticks != before.cpu_ticks;
}

bool IdleWatch::stands_still(const JobFile& file, std::span<const pid_t> processes,
                             double now_seconds) {
  std::vector<status::RankStatus> ranks = look(file, processes);
  status::look_at_processes(ranks);
  bool moved = traces_.size() != ranks.size();
  traces_.resize(ranks.size());
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    moved |= has_moved(traces_[r], ranks[r]);
    traces_[r] = {ranks[r].waits ? ranks[r].wait.since_ns : 0, ranks[r].phase,
                  ranks[r].look.cpu_ticks};
  }
  if (moved || still_since_ < 0) {
    still_since_ = now_seconds;
    told_ = false;
  }
  if (told_ || now_seconds - still_since_ < seconds_) return false;
  return told_ = true;
}

}  // namespace baton::launch
