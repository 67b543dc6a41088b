#include "launch/reports/missing_rank.hpp"

#include <fmt/format.h>

#include <atomic>

#include "launch/reports/report.hpp"

namespace baton::launch {

std::string missing_init(const Job& job, const std::vector<bool>& running, int ended_without_init) {
  using lockfree::Phase;
  for (std::size_t rank = 0; rank < running.size(); ++rank) {
    const Phase phase =
        job.file.row(static_cast<int>(rank)).state.phase.load(std::memory_order_acquire);
    if (running[rank] && phase == Phase::initialized)
      return fmt::format("{}: ended without calling MPI_Init, while rank {} called it",
                         rank_text(ended_without_init, job.placement), job.file.first_rank + rank);
  }
  return {};
}

std::string missing_program(const Job& job, const std::vector<bool>& running) {
  auto programs = [&job](std::size_t rank) {
    // relaxed: only the number is reported; no other data depends on it.
    return job.file.row(static_cast<int>(rank)).state.programs.load(std::memory_order_relaxed);
  };
  std::size_t fewest = running.size(), most = running.size();  // size: no rank
  for (std::size_t rank = 0; rank < running.size(); ++rank) {
    std::size_t& found = running[rank] ? most : fewest;
    const bool is_better =
        found == running.size() ||
        (running[rank] ? programs(rank) > programs(found) : programs(rank) < programs(found));
    if (is_better) found = rank;
  }
  if (fewest == running.size() || most == running.size()) return {};
  if (programs(most) < 2 || programs(most) <= programs(fewest)) return {};
  return fmt::format(
      "{}: it has ended after {} MPI program{}, and rank {} has begun its next one, in which it "
      "may "
      "be waited for: ending the job",
      rank_text(static_cast<int>(fewest), job.placement), programs(fewest),
      programs(fewest) == 1 ? "" : "s", job.file.first_rank + most);
}

std::string missing_session(const Job& job, const std::vector<bool>& running, int ended_quietly) {
  if (ended_quietly < 0) return {};
  for (int rank = 0; rank < static_cast<int>(running.size()); ++rank) {
    const lockfree::Phase phase = job.file.row(rank).state.phase.load(std::memory_order_acquire);
    if (!running[static_cast<std::size_t>(rank)] || phase != lockfree::Phase::initialized ||
        session_count(job, rank) <= session_count(job, ended_quietly))
      continue;
    return fmt::format(
        "{}: it has ended, and rank {} has begun another session, in which it may be waited for: "
        "ending the job",
        rank_text(ended_quietly, job.placement), job.file.first_rank + rank);
  }
  return {};
}

std::uint32_t session_count(const Job& job, int rank) {
  // relaxed: ordered by the phase, which is read first.
  return job.file.row(rank).state.uses.load(std::memory_order_relaxed);
}

}  // namespace baton::launch
