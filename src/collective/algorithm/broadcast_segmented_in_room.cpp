// Broadcast of longer messages in a room: segment by segment the root writes and all others read,
// each as far as it has come.
#include "collective/algorithm.hpp"
#include "collective/room/segments.hpp"
#include "collective/room/visit.hpp"

namespace baton::collective {

Task broadcast_segmented_in_room(Run& run, Rounds row) {
  const Call& call = run.call;
  const Blocks& data = call.in;
  const int root = call.root;
  const Segments segments = segments_of(call);
  bool good = true;  // false: the root has another length, and nothing is waited for any more
  for (std::uint64_t i = 0; i < segments.count; ++i) {
    Visit visit(run, run.room().room.in_row(row, i));
    const std::int64_t begin = segments.begin(i);
    const std::int64_t bytes = std::min(segments.step, data.bytes(0) - begin);
    if (visit.rank() == root) {
      co_await visit.may_write();
      visit.put_part(root, 0, data.buffer, *data.type, begin, bytes);
      visit.publish(root, data.uniform, *data.type);
      visit.wake_all();
    } else if (good) {
      co_await visit.arrived(root, root + 1);
      good = visit.has_length(root, data.uniform, *data.type);
      if (good) visit.take_part(root, 0, data.buffer, *data.type, begin, bytes);
    }
    visit.finish();
  }
}

}  // namespace baton::collective
