// Ranks that introduce themselves by whatever process manager started them:
//   wire_up_program [seconds] [abort FILE] [missing]
// Each publishes a record, reads all others' and prints what it knows. `seconds`: rank 0 also
// prints how long that took; `abort`: then the last rank makes the file, since launchers may drop
// what ranks have printed just before, and ends the job with code 7; `missing`: the last rank
// sleeps instead of introducing itself, so that the others wait in the fence.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "platform/stream.hpp"
#include "world/wire_up/process_manager.hpp"

namespace {

using baton::Error;
using baton::world::ProcessManager;

struct Record {
  int rank;
  unsigned char bytes[4000 - sizeof(int)];
};

Record record_of(int rank) {
  Record record{.rank = rank, .bytes = {}};
  for (std::size_t i = 0; i < sizeof record.bytes; ++i)
    record.bytes[i] = static_cast<unsigned char>(rank * 31 + static_cast<int>(i) * 7);
  return record;
}

int give_up(const char* step) {
  std::fprintf(stderr, "%s: %s\n", step, baton::last_explanation().text);
  return 1;
}

Error read_all(ProcessManager& manager) {
  for (int rank = 0; rank < manager.size(); ++rank) {
    Record found, expected = record_of(rank);
    if (Error error = manager.read(rank, &found, sizeof found)) return error;
    if (std::memcmp(&found, &expected, sizeof found) != 0)
      return baton::fail(MPI_ERR_OTHER, "the record of rank %d is another one", rank);
  }
  return MPI_SUCCESS;
}

bool has_word(int count, char** words, const char* word) {
  for (int i = 1; i < count; ++i)
    if (std::strcmp(words[i], word) == 0) return true;
  return false;
}

void end_job(ProcessManager& manager, const char* path) {
  std::FILE* file = std::fopen(path, "w");
  if (!file) return std::perror(path);
  std::fclose(file);
  manager.abort(7, "the last rank; ends=the job");
}

}  // namespace

int main(int count, char** words) {
  const std::int64_t start = baton::platform::now_ms();
  ProcessManager* found;
  if (baton::world::connect_process_manager(&found)) return give_up("connect");
  if (!found) {
    std::puts("no process manager");
    return 0;
  }
  const std::unique_ptr<ProcessManager> manager(found);
  const bool is_last = manager->rank() == manager->size() - 1;
  if (is_last && has_word(count, words, "missing")) {
    std::puts("missing");
    std::fflush(stdout);
    sleep(1000);
  }
  const Record own = record_of(manager->rank());
  if (manager->publish(&own, sizeof own)) return give_up("publish");
  if (manager->fence()) return give_up("fence");
  if (read_all(*manager)) return give_up("read");
  if (manager->fence()) return give_up("second fence");
  const std::int64_t taken = baton::platform::now_ms() - start;
  std::string here;
  for (int rank : manager->ranks_here()) here += (here.empty() ? "" : ",") + std::to_string(rank);
  // As one write each: launchers mix the ranks' lines.
  std::string line = "rank " + std::to_string(manager->rank()) + " of " +
                     std::to_string(manager->size()) + ": ok (" + manager->name() + ", job " +
                     manager->job() + ", here " + here + ")\n";
  if (manager->rank() == 0 && has_word(count, words, "seconds"))
    line += "wired up in " + std::to_string(taken) + " ms\n";
  std::fputs(line.c_str(), stdout);
  std::fflush(stdout);
  if (has_word(count, words, "abort")) {
    if (is_last) end_job(*manager, words[count - 1]);
    sleep(1000);
  }
  if (manager->finalize()) return give_up("finalize");
  return 0;
}
