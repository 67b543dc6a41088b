#include "launch/hosts/node_job.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "base/environment.hpp"
#include "launch/options/value_text.hpp"
#include "lockfree/job.hpp"

namespace baton::launch {

namespace {

// Returns this process's number among those that the launcher has started, one a node.
std::optional<int> number_of_process() {
  for (const char* name : {"PMI_RANK", "PMI_ID", "PMIX_RANK", "SLURM_PROCID"})
    if (const char* value = environment_variable(name))
      if (auto number = number_in(value, 0, lockfree::ranks_max)) return static_cast<int>(*number);
  return std::nullopt;
}

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

}  // namespace

std::expected<NodeJob, std::string> find_node(const std::string& told) {
  NodeJob job;
  std::vector<std::string> names;
  for (const std::string& part : parts_of(told, ",")) {
    const std::size_t colon = part.rfind(':');
    const bool named = colon != std::string::npos;
    if (named) names.push_back(part.substr(0, colon));
    auto count = number_in(named ? part.substr(colon + 1) : part, 1, lockfree::ranks_max);
    if (!count)
      return std::unexpected("--on-node " + told + ": it takes NAME:RANKS,... of all nodes");
    job.counts.push_back(static_cast<int>(*count));
  }
  std::optional<int> number = number_of_process();
  // Slurm numbers its processes by its own order of nodes.
  const char* slurm_name = environment_variable("SLURMD_NODENAME");
  if (const auto named = std::ranges::find(names, slurm_name ? slurm_name : "");
      slurm_name && named != names.end())
    number = static_cast<int>(named - names.begin());
  if (!number || *number >= static_cast<int>(job.counts.size()))
    return std::unexpected("--on-node " + told +
                           ": a launcher that starts one mpiexec a node has to say which this one "
                           "is (PMI_RANK, PMIX_RANK or SLURM_PROCID); mpiexec -host does all that");
  job.node = *number;
  job.host = host_name();
  return job;
}

void tell_launcher_of_failure(int code) {
  const char* connection = environment_variable("PMI_FD");
  if (!connection || environment_variable("SLURM_STEP_ID")) return;
  auto descriptor = number_in(connection, 0, 1 << 20);
  if (!descriptor) return;
  // This speaks PMI-1. Where a rank has sent init, a second init does no harm. Each step waits for
  // the result: an answer, or that the launcher ends this process.
  constexpr int patience_ms = 1000;
  const std::string abort = "cmd=abort exitcode=" + std::to_string(code) + '\n';
  for (const std::string& words :
       {std::string("cmd=init pmi_version=1 pmi_subversion=1\n"), abort}) {
    pollfd answer{static_cast<int>(*descriptor), POLLIN, 0};
    char text[1024];
    if (::send(answer.fd, words.data(), words.size(), MSG_NOSIGNAL) < 0) return;
    if (::poll(&answer, 1, patience_ms) > 0) (void)!::read(answer.fd, text, sizeof text);
  }
}

}  // namespace baton::launch
