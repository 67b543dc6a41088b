// `baton stat` shows where the ranks of a running job are, read from outside, from any terminal.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/print.hpp"
#include "status/report.hpp"
#include "status/wait_graph.hpp"

namespace baton::cli {

namespace {

using nlohmann::ordered_json;
using status::JobFound;
using status::RankStatus;

constexpr double sample_seconds = 0.2;  // guess: long enough to tell which processes use a CPU

bool is_rank_of(const JobFound& job, int process) {
  auto board = status::open_board(job.manager);
  if (!board) return false;
  for (std::uint32_t rank = 0; rank < board->ranks; ++rank)
    // relaxed: a hint.
    if (board->rows[rank].state.pid.load(std::memory_order_relaxed) == process) return true;
  // The process may be that of a rank before MPI_Init, or of a shell that starts the program.
  return std::ranges::count(status::started_processes(job.manager, *board), process) > 0;
}

std::string origin_text(const JobFound& job) {
  return job.spawned_by ? fmt::format(" (spawned by job {})", job.spawned_by) : "";
}

std::string list_text(const std::vector<JobFound>& jobs) {
  std::string text;
  for (const JobFound& job : jobs)
    text += fmt::format("  {}  {}{}\n", job.launcher, job.program, origin_text(job));
  return text;
}

// Returns the job that was asked for; null, with a message, where there is not exactly one.
const JobFound* choose(const std::vector<JobFound>& jobs, int process) {
  for (const JobFound& job : jobs)
    if (process && (job.launcher == process || job.manager == process || is_rank_of(job, process)))
      return &job;
  if (!process && jobs.size() == 1) return &jobs.front();
  if (jobs.empty())
    write_error(
        "baton stat: no job of Baton runs here that you may look at; other users\' can be seen by "
        "root\n");
  else if (process)
    write_error("baton stat: {} is no process of a job here; there are\n{}", process,
                list_text(jobs));
  else
    write_error("baton stat: {} jobs run here; say which\n{}", jobs.size(), list_text(jobs));
  return nullptr;
}

std::vector<int> numbers(const lockfree::AwaitedRanks& ranks) {
  std::vector<int> all;
  ranks.each([&](std::uint32_t rank) { all.push_back(static_cast<int>(rank)); });
  return all;
}

const char* phase_name(lockfree::Phase phase) {
  switch (phase) {
    case lockfree::Phase::unborn:
    case lockfree::Phase::started:
      return "before MPI_Init";
    case lockfree::Phase::initialized:
      return "initialized";
    case lockfree::Phase::finalized:
      return "finalized";
    case lockfree::Phase::aborted:
      return "aborted";
  }
  return "unknown";
}

// Returns the times of a rank in a job that is timed.
ordered_json times_json(const status::RankTimes& times) {
  const status::CallTotals calls = times.all();
  const status::PeerTotals peers = times.with_all();
  return {{"run_seconds", times.run()},
          {"mpi_seconds", calls.seconds},
          {"waiting_seconds", calls.waiting},
          {"sent_bytes", peers.sent_bytes},
          {"received_bytes", peers.received_bytes}};
}

ordered_json rank_json(const RankStatus& rank, std::size_t number) {
  ordered_json object{{"rank", number},
                      {"process", rank.process},
                      {"phase", phase_name(rank.phase)},
                      {"words", status::rank_words(rank)}};
  if (rank.look.state) object["state"] = std::string(1, rank.look.state);
  if (rank.cpu_share >= 0) object["cpu_share"] = rank.cpu_share;
  if (!rank.look.system_call.empty()) object["system_call"] = rank.look.system_call;
  if (rank.times) object["times"] = times_json(*rank.times);
  if (!rank.waits) return object;
  object["wait"] = {{"procedure", rank.wait.procedure},
                    {"words", rank.wait.words},
                    {"seconds", rank.wait_seconds},
                    {"for", numbers(rank.wait.awaited)},
                    {"and_others", rank.wait.awaited.more}};
  return object;
}

std::string as_json(const JobFound& job, const std::vector<RankStatus>& ranks) {
  ordered_json object{{"mpiexec", job.launcher}, {"program", job.program}, {"ranks", {}}};
  if (job.spawned_by) object["spawned_by"] = job.spawned_by;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    if (!ranks[rank].elsewhere) object["ranks"].push_back(rank_json(ranks[rank], rank));
  const status::WaitGraph graph = status::wait_graph_of(ranks);
  object["collectives"] = ordered_json::array();
  for (const status::StuckCollective& call : graph.collectives)
    object["collectives"].push_back(
        {{"words", call.words}, {"there", call.entered}, {"missing", call.missing}});
  object["waited_for_in_the_end"] = graph.awaited;
  object["deadlock"] = graph.cycle;
  return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

int show_job(int process, bool json) {
  const std::vector<JobFound> jobs = status::find_jobs();
  const JobFound* job = choose(jobs, process);
  if (!job) return 1;
  auto board = status::open_board(job->manager);
  if (!board) {
    write_error("baton stat: job {}: {}\n", job->launcher, board.error());
    return 1;
  }
  std::vector<RankStatus> ranks =
      status::read_board(*board, status::started_processes(job->manager, *board));
  const status::TickLength clock;
  status::measure_cpu(ranks, sample_seconds);
  status::take_times(job->manager, clock, ranks);
  if (json)
    write_out("{}", as_json(*job, ranks));
  else
    write_out("job {}{}, {} ranks: {}\n{}{}", job->launcher, origin_text(*job), ranks.size(),
              job->program, status::report_text(ranks, "  "), status::times_text(ranks, "  "));
  return 0;
}

}  // namespace baton::cli
