#include "window/stream_slots.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

#include "transport/heap.hpp"
#include "transport/move/copy.hpp"
#include "transport/move/reach.hpp"
#include "transport/node.hpp"
#include "window/change.hpp"

namespace baton::window {

namespace {

void copy_by_kernel(StreamSide& side, const Work& work, LocalRank asker, char* memory) {
  char* there;
  std::memcpy(&there, work.data, sizeof there);
  side.copy_by_kernel([&](std::int64_t position, std::int64_t bytes) {
    return work.kind == WorkKind::put_stream
               ? transport::copy_from({asker, there + position}, memory + position, bytes)
               : transport::copy_to({asker, there + position}, memory + position, bytes);
  });
}

}  // namespace

StreamSlots* Streams::own_slots() {
  void* memory = slots_;
  if (!memory && !transport::exported_heap.allocate(sizeof(StreamSlots), alignof(StreamSlots),
                                                    nullptr, false, &memory))
    slots_ = static_cast<StreamSlots*>(memory);
  return slots_;
}

StreamChoices* Streams::choices_of(LocalRank rank) {
  if (!choices_)
    choices_ =
        static_cast<StreamChoices**>(std::calloc(transport::rank_count(), sizeof(StreamChoices*)));
  if (!choices_) return nullptr;
  StreamChoices*& its = choices_[number_of(rank)];
  if (!its) its = new (std::nothrow) StreamChoices;
  return its;
}

void stream_for(Work& work, LocalRank asker, Window& window) {
  char* there = transport::exported_heap.reach(asker, reinterpret_cast<void*>(work.stream.slots));
  if (!there) {
    work.ranges = 0;  // nothing is done
    return;
  }
  StreamSide side(work, *reinterpret_cast<StreamSlots*>(there), false);
  char* memory = reinterpret_cast<char*>(work.first.address);
  if (work.stream.way == StreamWay::both_by_kernel)
    return copy_by_kernel(side, work, asker, memory);
  if (work.kind == WorkKind::get_stream) return side.fill(memory);
  side.empty([&](const char* slot, std::int64_t position, std::int64_t here) {
    if (work.kind == WorkKind::put_stream)
      platform::copy_run(memory + position, slot, static_cast<std::size_t>(here));
    else
      work.error =
          change_own(window, memory + position, work.type, here, work.operation, slot, nullptr);
    return work.error == MPI_SUCCESS;
  });
}

void Streams::free() {
  if (slots_) (void)transport::exported_heap.release(slots_);
  slots_ = nullptr;
  for (std::uint32_t rank = 0; choices_ && rank < transport::rank_count(); ++rank)
    delete choices_[rank];
  std::free(choices_);
  choices_ = nullptr;
}

}  // namespace baton::window
