#include "collective/check/words.hpp"

#include "message/core/engine.hpp"

namespace baton::collective {

void Words::add_call(const Communicator& comm, CallNumber number) {
  add("%scall %u on ", number.persistent ? "persistent " : "", number.number + 1);
  if (comm.name[0])
    add("%s", comm.name);
  else
    add("a communicator of %d ranks without a name", comm.members(0).count);
}

// Adds ranges such as "0-3,5".
template <class Number>
void Words::add_ranges(int members, bool (*chosen)(void*, int), void* state, Number number) {
  constexpr int ranges_max = 6;
  int ranges = 0;
  for (int i = 0; i < members; ++i) {
    if (!chosen(state, i)) continue;
    int last = i;
    while (last + 1 < members && chosen(state, last + 1) && number(last + 1) == number(last) + 1)
      ++last;
    if (ranges++ == ranges_max) return add(",...");
    add(ranges > 1 ? ",%d" : "%d", number(i));
    if (last > i) add("-%d", number(last));
    i = last;
  }
}

void Words::add_ranks(const Communicator& comm, bool (*chosen)(void*, int), void* state) {
  const world::Members members = comm.members(0);
  auto own_number = [](int i) { return i; };
  auto job_number = [&members](int i) {
    return static_cast<int>(message::world_rank(members.process_at(i)));
  };
  int count = 0;
  bool as_in_job = true;
  for (int i = 0; i < members.count; ++i) {
    if (!chosen(state, i)) continue;
    ++count;
    as_in_job &= job_number(i) == i;
  }
  add(count == 1 ? "rank " : "ranks ");
  // In an intercommunicator the same number may mean two ranks.
  if (comm.is_inter()) {
    add_ranges(members.count, chosen, state, job_number);
    return add(" of MPI_COMM_WORLD");
  }
  add_ranges(members.count, chosen, state, own_number);
  if (as_in_job) return;
  add(" (");
  add_ranges(members.count, chosen, state, job_number);
  add(" in MPI_COMM_WORLD)");
}

}  // namespace baton::collective
