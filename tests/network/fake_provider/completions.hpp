// What has been done and was not asked for yet. It is told in any order, and not always at once.
#pragma once

#include <rdma/fi_eq.h>
#include <sys/uio.h>

#include <cstdint>
#include <vector>

#include "chance.hpp"
#include "context.hpp"
#include "personality.hpp"
#include "region.hpp"

namespace fake {

struct Completion {
  void* context = nullptr;
  std::uint64_t flags = 0;
  std::size_t bytes = 0;
  void* buffer = nullptr;
  std::uint64_t data = 0;
  int error = 0;        // libfabric's, positive
  bool of_user = true;  // its context is the user's, as all but remote writes'
  // Memory that nobody may change until this is told.
  std::vector<iovec> parts;
  std::uint64_t checksum = 0;
  std::vector<Region*> regions;
  // Of a message that came: its sender, and its turn there.
  std::uint64_t from = 0, turn = 0;
};

class Completions {
 public:
  Completions(const Personality& personality, Chance& chance, Contexts& contexts)
      : personality_(personality), chance_(chance), contexts_(contexts) {}
  void add(Completion completion);
  // Of a queue's read: how many, or a negative error.
  ssize_t take(fi_cq_data_entry* entries, std::size_t most);
  ssize_t take_error(fi_cq_err_entry& entry);
  bool empty() const { return good_.empty() && failed_.empty(); }
  void forget_all();

 private:
  std::size_t choose();
  void let_go(const Completion& completion);

  const Personality& personality_;
  Chance& chance_;
  Contexts& contexts_;
  std::vector<Completion> good_, failed_;
};

}  // namespace fake
