#include "message/engine.hpp"

#include <cstdlib>
#include <new>

namespace baton::message {

MessageTable messages;

namespace {

using Leaf = MatchQueues::Leaf;
constexpr std::uint32_t leaf_contexts = MatchQueues::leaf_contexts;
constexpr std::uint32_t leaf_count = MatchQueues::leaf_count;

struct Place {
  Request* before = nullptr;
  Request* request = nullptr;
};

Place find_posted(List<Request>& list, std::int32_t source, std::int32_t tag) {
  Request* before = nullptr;
  for (Request* request = list.first; request; before = request, request = request->next) {
    bool source_fits = request->source == source || request->source == MPI_ANY_SOURCE;
    if (source_fits && tag_fits(request->tag, tag)) return {before, request};
  }
  return {};
}

struct ArrivalPlace {
  List<Arrival>* list = nullptr;
  Arrival* before = nullptr;
  Arrival* arrival = nullptr;
};

ArrivalPlace find_in(List<Arrival>& list, std::int32_t source, std::int32_t tag) {
  Arrival* before = nullptr;
  for (Arrival* arrival = list.first; arrival; before = arrival, arrival = arrival->next) {
    bool source_fits = source == MPI_ANY_SOURCE || arrival->source == source;
    if (source_fits && tag_fits(tag, arrival->tag)) return {&list, before, arrival};
  }
  return {};
}

ArrivalPlace find_place(MatchQueue& queue, std::int32_t source, std::int32_t tag) {
  if (queue.arrival_count == 0) return {};
  if (source != MPI_ANY_SOURCE)
    return find_in(queue.arrivals[MatchQueue::bin(source)], source, tag);
  ArrivalPlace best;
  for (List<Arrival>& list : queue.arrivals) {
    ArrivalPlace place = find_in(list, source, tag);
    if (place.arrival && (!best.arrival || place.arrival->order < best.arrival->order))
      best = place;
  }
  return best;
}

List<Request>& list_of(MatchQueue& queue, const Request& request) {
  return request.source == MPI_ANY_SOURCE ? queue.posted_any
                                          : queue.posted[MatchQueue::bin(request.source)];
}

}  // namespace

namespace {

template <class Pointer>
Pointer load(Pointer& place) {
  // ORDER match.queues: acquire here, release in make_queue; what it points to is complete.
  return std::atomic_ref(place).load(std::memory_order_acquire);
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

void drop_queue(std::uint32_t context) {
  platform::Guard guard(engine.queues.lock);
  Leaf* leaf = engine.queues.leaves[context / leaf_contexts];
  if (!leaf || !leaf->queues[context % leaf_contexts]) return;
  MatchQueue*& queue = leaf->queues[context % leaf_contexts];
  // Whoever completed the last request here may still be letting go of the lock.
  { platform::Guard last(queue->lock); }
  for (List<Arrival>& list : queue->arrivals)
    while (Arrival* arrival = list.first) {
      list.take_after(nullptr);
      // The sender of a cancelled one gets its slot back.
      if (!is_withdrawn(*arrival) || claim(*arrival)) free_arrival(arrival);
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

void post(MatchQueue& queue, Request& request) {
  request.order = queue.next_order++;
  request.queue = &queue;
  request.stage = Stage::posted;
  list_of(queue, request).push(&request);
  ++queue.posted_count;
}

void post_again(MatchQueue& queue, Request& request) {
  List<Request>& list = list_of(queue, request);
  Request* before = nullptr;
  for (Request* item = list.first; item && item->order < request.order; item = item->next)
    before = item;
  request.stage = Stage::posted;
  request.next = before ? before->next : list.first;
  (before ? before->next : list.first) = &request;
  if (list.last == before) list.last = &request;
  ++queue.posted_count;
}

Request* take_posted(MatchQueue& queue, std::int32_t source, std::int32_t tag) {
  if (queue.posted_count == 0) return nullptr;
  List<Request>& bin = queue.posted[MatchQueue::bin(source)];
  Place named = find_posted(bin, source, tag);
  Place any = find_posted(queue.posted_any, source, tag);
  if (!named.request && !any.request) return nullptr;
  --queue.posted_count;
  bool take_any = any.request && (!named.request || any.request->order < named.request->order);
  return take_any ? queue.posted_any.take_after(any.before) : bin.take_after(named.before);
}

bool take_back(MatchQueue& queue, Request& request) {
  List<Request>& list = list_of(queue, request);
  Request* before = nullptr;
  for (Request* item = list.first; item; before = item, item = item->next) {
    if (item != &request) continue;
    list.take_after(before);
    --queue.posted_count;
    return true;
  }
  return false;
}

void keep(MatchQueue& queue, Arrival& arrival) {
  arrival.order = queue.next_order++;
  queue.arrivals[MatchQueue::bin(arrival.source)].push(&arrival);
  ++queue.arrival_count;
}

namespace {

Arrival* take_from(MatchQueue& queue, const ArrivalPlace& place) {
  --queue.arrival_count;
  return place.list->take_after(place.before);
}

}  // namespace

Arrival* find_arrival(MatchQueue& queue, std::int32_t source, std::int32_t tag) {
  for (;;) {
    ArrivalPlace place = find_place(queue, source, tag);
    if (!place.arrival || !is_withdrawn(*place.arrival)) return place.arrival;
    (void)claim(*take_from(queue, place));  // drops it
  }
}

Arrival* take_arrival(MatchQueue& queue, std::int32_t source, std::int32_t tag) {
  ArrivalPlace place = find_place(queue, source, tag);
  return place.arrival ? take_from(queue, place) : nullptr;
}

Arrival* take_local_arrival(MatchQueue& queue, const Request& send) {
  List<Arrival>& list = queue.arrivals[MatchQueue::bin(send.source)];
  Arrival* before = nullptr;
  for (Arrival* arrival = list.first; arrival; before = arrival, arrival = arrival->next)
    if (arrival->local == &send) return take_from(queue, {&list, before, arrival});
  return nullptr;
}

Arrival* new_arrival(std::int64_t payload_bytes) {
  void* memory = std::malloc(sizeof(Arrival) + static_cast<std::size_t>(payload_bytes));
  return memory ? new (memory) Arrival : nullptr;
}

void free_arrival(Arrival* arrival) {
  std::free(arrival);
}

}  // namespace baton::message
