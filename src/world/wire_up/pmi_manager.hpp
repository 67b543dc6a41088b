// These are the process managers that speak PMI-1 (Hydra, of MPICH and of Intel) or PMI-2 (`srun
// --mpi=pmi2`), over a connection that each rank has. connect.cpp makes it.
#pragma once

#include "world/wire_up/manager_choice.hpp"
#include "world/wire_up/pmi_wire.hpp"
#include "world/wire_up/process_manager.hpp"

namespace baton::world {

class PmiManager final : public ProcessManager {
 public:
  PmiManager(PmiDialect dialect, Patience patience) : dialect_(dialect), patience_(patience) {}
  ~PmiManager() override;
  // Starts the connection. It is called once, before all other functions.
  Error start(const ManagerVariables& variables);

  const char* name() const override { return is_pmi1() ? "PMI-1" : "PMI-2"; }
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  const char* job() const override { return job_; }
  std::span<const int> ranks_here() const override;
  Error publish(const void* record, std::size_t bytes) override;
  Error fence() override;
  Error read(int rank, void* record, std::size_t bytes) override;
  // With PMI-1, Hydra sends SIGUSR1 when a rank has died: that does not end this process any more,
  // unless the program wants it to.
  void survive_ends() override;
  void hear_of_ends(void (*)(int rank, End end)) override {}  // nobody tells
  Error finalize() override;
  void abort(int code, const char* words) override;

 private:
  bool is_pmi1() const { return dialect_ == PmiDialect::pmi1; }
  Error open(const ManagerVariables& variables);
  Error take_place(const ManagerVariables& variables);
  Error agree_on_version();
  Error introduce_by_port(const char* id);
  Error start_pmi1();
  Error start_pmi2(const ManagerVariables& variables);
  Error keep_job_name(const PmiReply& reply, const char* field, const char* answer);
  Error learn_ranks_here();
  // Asks, and takes an answer that says "no" for an error.
  Error ask(PmiRequest& request, const char* answer, int limit_ms, PmiReply* reply);
  std::size_t part_length() const;

  PmiDialect dialect_;
  Patience patience_;
  PmiWire wire_;
  int rank_ = -1;
  int size_ = 0;
  int value_length_max_ = 1024;  // with the terminating zero
  int* here_ = nullptr;
  int here_count_ = 0;
  char job_[256] = "";
};

}  // namespace baton::world
