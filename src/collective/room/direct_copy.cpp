#include "collective/room/direct_copy.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/settings.hpp"
#include "message/core/engine.hpp"
#include "message/core/outstanding.hpp"
#include "platform/copy.hpp"
#include "transport/move/copy.hpp"
#include "transport/move/reach.hpp"

namespace baton::collective {

namespace {

LocalRank local_rank(const Run& run, int rank) {
  return transport::local_rank_of(run.call.comm->collective.process(rank));
}

}  // namespace

// Returns whether it is known if that rank's memory can be read. A rank that has not started yet
// cannot be probed; it will come, since it takes part.
bool DirectCopy::is_known(int rank) const {
  return transport::refusal(local_rank(run_, rank)) != Reason::cma_not_probed;
}

bool DirectCopy::permitted() const {
  for (int r = 0; r < ranks(); ++r)
    if (r != rank() && !transport::kernel_copies_from(local_rank(run_, r))) return false;
  return true;
}

// Returns how many ranks copy at a time. Where ranks outnumber CPUs few copy at a time anyway, and
// a rank that waits for its turn would also wait for a CPU.
int DirectCopy::direct_at_once() {
  constexpr int with_a_cpu_each = 8;  // guess
  if (settings.direct_at_once >= 0) return static_cast<int>(settings.direct_at_once);
  return message::engine.oversubscribed ? 0 : with_a_cpu_each;
}

void DirectCopy::write_told(const void* from, void* to, std::int64_t bytes, bool usable) {
  const Told line{bytes, static_cast<const char*>(from), static_cast<char*>(to), usable};
  std::memcpy(told.payload(rank()), &line, sizeof line);
}
void DirectCopy::tell(const void* from, void* to, std::int64_t bytes, bool usable) {
  agreed_ = true;
  write_told(from, to, bytes, usable);
  told.publish(rank());
  told.wake_all();
}

void DirectCopy::agree_with(int root, std::int64_t bytes, bool usable) {
  turn_ = turn_of(rank(), root, ranks(), direct_at_once());
  const Told line = told_by(root);
  agreed_ = usable && line.usable && line.bytes == bytes &&
            transport::kernel_copies_from(local_rank(run_, root));
}

void DirectCopy::say_done() {
  *done.payload(rank()) = agreed_;
  done.publish_own();
  // A rank that waits only for us is woken by us, whoever comes last.
  if (turn_.after >= 0) done.wake(turn_.after);
  told.finish();
}

DirectCopy::Told DirectCopy::told_by(int rank) const {
  Told line;
  std::memcpy(&line, told.payload(rank), sizeof line);
  return line;
}

void DirectCopy::pull(int from, std::int64_t offset, void* to, std::int64_t bytes) {
  const char* source = told_by(from).from + offset;
  if (bytes == 0 || refused_) return;
  const message::OutstandingCopy counted(bytes);
  if (from == rank())
    platform::copy_run(to, source, static_cast<std::size_t>(bytes));
  else if (!transport::copy_from({local_rank(run_, from), source}, to, bytes))
    note_refusal(bytes, "from", from);
}

void DirectCopy::note_refusal(std::int64_t bytes, const char* way, int rank) {
  const int cause = errno;
  refused_ = true;
  ended_ = cause == ESRCH;
  if (ended_)
    return run_.note(
        fail(MPI_ERR_PROC_ABORTED, "rank %d, whose buffer is copied, has ended", rank));
  run_.note(fail(MPI_ERR_OTHER, "the kernel refuses to copy %lld bytes %s rank %d's buffer: %s",
                 static_cast<long long>(bytes), way, rank,
                 cause == EFAULT ? "not all of it is mapped there" : std::strerror(cause)));
}

void DirectCopy::pull(int from, std::int64_t offset, void* to, std::int64_t count,
                      const Datatype& type) {
  const std::int64_t bytes = count * type.size;
  if (type.contiguous) return pull(from, offset, to, bytes);
  char bounce[4096];
  for (std::int64_t at = 0; at < bytes; at += static_cast<std::int64_t>(sizeof bounce)) {
    const std::int64_t here = std::min(bytes - at, static_cast<std::int64_t>(sizeof bounce));
    pull(from, offset + at, bounce, here);
    datatype::unpack(type, to, at, bounce, here, run_.is_host());
  }
}

void DirectCopy::push(const void* from, int to, std::int64_t offset, std::int64_t bytes) {
  char* target = told_by(to).to + offset;
  if (bytes == 0 || refused_) return;
  const message::OutstandingCopy counted(bytes);
  if (!transport::copy_to({local_rank(run_, to), target}, from, bytes))
    note_refusal(bytes, "to", to);
}

const void* packed(Run& run, const void* buffer, std::int64_t count, const Datatype& type) {
  if (type.contiguous) return buffer;
  void* copy = run.take(static_cast<std::size_t>(count * type.size) + 1);
  if (copy) datatype::pack(type, buffer, 0, copy, count * type.size, run.is_host());
  return copy;
}

Task meet_for_copies(Run& run, DirectCopy& copies, const void* from, void* to, std::int64_t bytes,
                     bool usable) {
  co_await run.until([&] {
    for (int r = 0; r < copies.ranks(); ++r)
      if (!copies.is_known(r)) return false;
    return true;
  });
  co_await copies.told.may_write();
  copies.write_told(from, to, bytes, usable && copies.permitted());
  copies.told.publish_own_copies();
  co_await copies.told.all_met();
  bool all = true;
  for (int r = 0; r < copies.ranks(); ++r) {
    if (BATON_UNLIKELY(!copies.told.tells_copies(r))) {
      run.refuse_length(r, copies.told.bytes_at(r), bytes);
      copies.foreign_ = true;
      all = false;
      continue;
    }
    const DirectCopy::Told theirs = copies.told_by(r);
    all &= theirs.usable && theirs.bytes == bytes;
  }
  copies.agreed_ = all;
}

Task end_copies(Run& run, DirectCopy& copies, bool waits) {
  co_await copies.noticed();
  co_await copies.done.may_write();
  copies.say_done();
  if (waits) {
    co_await copies.done.all_met();
    copies.done.finish_exchange();
  } else {
    copies.done.finish();
  }
}

Task go_otherwise(Run& run, DirectCopy& copies, Task otherwise) {
  copies.told.finish();
  copies.done.finish();
  // A rank that has called something else would not answer.
  if (!copies.foreign_) co_await otherwise;
}

}  // namespace baton::collective
