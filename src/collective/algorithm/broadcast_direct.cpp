// Broadcast by direct copies: the data goes along a wide tree, so that no rank's memory is read by
// many at once.
#include "collective/algorithm.hpp"
#include "collective/room/direct_copy.hpp"

namespace baton::collective {

Task broadcast_direct(Run& run, Round first, Round last, Task otherwise) {
  const Call& call = run.call;
  const Blocks& data = call.in;
  const int root = call.root;
  constexpr int width = 8;  // guess
  DirectCopy copies(run, first, last);
  const int ranks = copies.ranks();
  auto rank_at = [&](int place) { return (place + root) % ranks; };
  const int place = (copies.rank() - root + ranks) % ranks;
  const std::int64_t bytes = data.uniform * data.type->size;
  // A rank that passes data on needs it packed.
  const bool gives = place * width + 1 < ranks;
  const bool has_gaps = !data.type->contiguous;
  void* copy = gives && has_gaps ? run.take(static_cast<std::size_t>(bytes) + 1) : nullptr;
  const bool usable = !gives || !has_gaps || copy;
  if (copy && place == 0) datatype::pack(*data.type, data.buffer, 0, copy, bytes, run.is_host());
  co_await meet_for_copies(run, copies, copy ? copy : data.buffer, nullptr, bytes, usable);
  if (!copies.agreed()) {
    co_await go_otherwise(run, copies, otherwise);
    co_return;
  }
  co_await copies.done.may_write();
  if (place > 0) {
    const int above = rank_at((place - 1) / width);
    if (above != root) co_await copies.done.arrived(above, above + 1);
    if (copy) {
      copies.pull(above, 0, copy, bytes);
      datatype::unpack(*data.type, data.buffer, 0, copy, bytes, run.is_host());
    } else {
      copies.pull(above, 0, data.buffer, data.uniform, *data.type);
    }
    copies.done.publish(copies.rank());
    copies.done.wake_all();
  }
  for (int below = place * width + 1; below <= place * width + width && below < ranks; ++below)
    co_await copies.done.arrived(rank_at(below), rank_at(below) + 1);
  co_await copies.noticed();
  copies.told.finish();
  copies.done.finish();
}

}  // namespace baton::collective
