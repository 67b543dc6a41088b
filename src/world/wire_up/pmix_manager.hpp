// These are the process managers that speak PMIx (PRRTE's prterun, `srun --mpi=pmix`), through
// PMIx's own library. Its calls block, so each runs within a limit; after a call that did not
// return the manager cannot be used any more. There is one manager in a process, and it lives until
// the process ends.
#pragma once

#include "platform/pmix.hpp"
#include "world/wire_up/process_manager.hpp"

namespace baton::world {

class PmixManager final : public ProcessManager {
 public:
  explicit PmixManager(Patience patience) : patience_(patience) {}
  ~PmixManager() override;
  // Starts the connection. It is called once, before all other functions.
  Error start();

  const char* name() const override { return "PMIx"; }
  int rank() const override { return static_cast<int>(self_.rank); }
  int size() const override { return static_cast<int>(size_); }
  const char* job() const override { return self_.job; }
  std::span<const int> ranks_here() const override;
  Error publish(const void* record, std::size_t bytes) override;
  Error fence() override;
  Error read(int rank, void* record, std::size_t bytes) override;
  void hear_of_ends(void (*tell)(int rank, End end)) override;
  Error finalize() override;
  void abort(int code, const char* words) override;

 private:
  Error learn_size();
  Error learn_ranks_here();

  Patience patience_;
  const platform::pmix::Functions* pmix_ = nullptr;
  platform::pmix::Process self_{};
  std::uint32_t size_ = 0;
  int* here_ = nullptr;
  int here_count_ = 0;
  bool records_are_shared_ = false;  // the first fence is over
};

}  // namespace baton::world
