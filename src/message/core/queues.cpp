#include "message/core/queues.hpp"

#include <cstdlib>
#include <new>

#include "message/core/engine.hpp"
#include "message/core/unexpected.hpp"

namespace baton::message {

namespace {

using Leaf = MatchQueues::Leaf;
constexpr std::uint32_t leaf_contexts = MatchQueues::leaf_contexts;
constexpr std::uint32_t leaf_count = MatchQueues::leaf_count;

template <class Pointer>
Pointer load(Pointer& pointer) {
  // ORDER match.queues: acquire here, release in make_queue; what it points to is complete.
  return std::atomic_ref(pointer).load(std::memory_order_acquire);
}

BATON_COLD MatchQueue* make_queue(std::uint32_t context) {
  platform::Guard guard(engine.queues.lock);
  Leaf*& leaf = engine.queues.leaves[context / leaf_contexts];
  if (!leaf) {
    auto* fresh = static_cast<Leaf*>(std::calloc(1, sizeof(Leaf)));
    if (!fresh) return nullptr;
    // ORDER match.queues: release here, acquire in load.
    std::atomic_ref(leaf).store(fresh, std::memory_order_release);
  }
  MatchQueue*& queue = leaf->queues[context % leaf_contexts];
  if (queue) return queue;
  auto* fresh = new (std::nothrow) MatchQueue;
  // ORDER match.queues: release here, acquire in load.
  std::atomic_ref(queue).store(fresh, std::memory_order_release);
  return fresh;
}

}  // namespace

MatchQueue* queue_for(std::uint32_t context) {
  if (context / leaf_contexts >= leaf_count) return nullptr;
  Leaf* leaf = load(engine.queues.leaves[context / leaf_contexts]);
  MatchQueue* queue = leaf ? load(leaf->queues[context % leaf_contexts]) : nullptr;
  return BATON_LIKELY(queue) ? queue : make_queue(context);
}

MatchQueue& queue_of(std::uint32_t context) {
  MatchQueue* queue = queue_for(context);
  if (!queue) out_of_memory_for_unexpected();
  return *queue;
}

namespace {

void drop(UnexpectedMessage& unexpected) {
  // The sender of a cancelled one gets its slot back.
  if (!is_withdrawn(unexpected) || claim(unexpected)) drop_unexpected(unexpected);
}

}  // namespace

void drop_unexpected_of(std::uint32_t first, std::uint32_t count) {
  const auto drop_of = [=](List<UnexpectedMessage>& list) {
    UnexpectedMessage* before = nullptr;
    while (UnexpectedMessage* unexpected = before ? before->next : list.first)
      if (number_of(unexpected->process) - first >= count) {
        before = unexpected;
      } else {
        list.take_after(before);
        drop(*unexpected);
      }
  };
  platform::Guard guard(engine.queues.lock);
  for (Leaf* leaf : engine.queues.leaves)
    for (std::uint32_t i = 0; leaf && i < leaf_contexts; ++i)
      if (MatchQueue* queue = leaf->queues[i]) {
        platform::Guard matching(queue->lock);
        for (List<UnexpectedMessage>& list : queue->unexpected) drop_of(list);
      }
}

void drop_queue(std::uint32_t context) {
  platform::Guard guard(engine.queues.lock);
  Leaf* leaf = engine.queues.leaves[context / leaf_contexts];
  if (!leaf || !leaf->queues[context % leaf_contexts]) return;
  MatchQueue*& queue = leaf->queues[context % leaf_contexts];
  // Whoever completed the last request here may still be letting go of the lock.
  { platform::Guard last(queue->lock); }
  for (List<UnexpectedMessage>& list : queue->unexpected)
    while (UnexpectedMessage* unexpected = list.first) {
      list.take_after(nullptr);
      drop(*unexpected);
    }
  delete queue;
  queue = nullptr;
}

void forget_queues() {
  for (std::uint32_t leaf = 0; leaf < leaf_count; ++leaf) {
    if (!engine.queues.leaves[leaf]) continue;
    for (std::uint32_t i = 0; i < leaf_contexts; ++i) drop_queue(leaf * leaf_contexts + i);
    std::free(engine.queues.leaves[leaf]);
    engine.queues.leaves[leaf] = nullptr;
  }
}

}  // namespace baton::message
