#include "message/core/match.hpp"

#include <cstdlib>
#include <new>

#include "base/event.hpp"

namespace baton::message {

void (*unexpected_grew)(MatchQueue& queue) = [](MatchQueue&) {};

namespace {

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

struct UnexpectedPosition {
  List<UnexpectedMessage>* list = nullptr;
  UnexpectedMessage* before = nullptr;
  UnexpectedMessage* unexpected = nullptr;
};

UnexpectedPosition find_in(List<UnexpectedMessage>& list, std::int32_t source, std::int32_t tag) {
  UnexpectedMessage* before = nullptr;
  for (UnexpectedMessage* unexpected = list.first; unexpected;
       before = unexpected, unexpected = unexpected->next) {
    bool source_fits = source == MPI_ANY_SOURCE || unexpected->source == source;
    if (source_fits && tag_fits(tag, unexpected->tag)) return {&list, before, unexpected};
  }
  return {};
}

UnexpectedPosition find_position(MatchQueue& queue, std::int32_t source, std::int32_t tag) {
  if (queue.unexpected_count == 0) return {};
  if (source != MPI_ANY_SOURCE)
    return find_in(queue.unexpected[MatchQueue::bin(source)], source, tag);
  UnexpectedPosition best;
  for (List<UnexpectedMessage>& list : queue.unexpected) {
    UnexpectedPosition position = find_in(list, source, tag);
    if (position.unexpected &&
        (!best.unexpected || position.unexpected->order < best.unexpected->order))
      best = position;
  }
  return best;
}

List<Request>& list_of(MatchQueue& queue, const Request& request) {
  return request.source == MPI_ANY_SOURCE ? queue.posted_any
                                          : queue.posted[MatchQueue::bin(request.source)];
}

}  // namespace

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

bool is_behind_unadvertised(const MatchQueue& queue, const Request& receive) {
  constexpr int looks_max = 32;  // guess
  int looks = 0;
  for (const Request* other = queue.posted_any.first; other; other = other->next)
    if (tags_overlap(*other, receive) || ++looks == looks_max) return true;
  const List<Request>& bin = queue.posted[MatchQueue::bin(receive.source)];
  for (const Request* other = bin.first; other != &receive; other = other->next) {
    if (other->advert) continue;
    if ((other->source == receive.source && tags_overlap(*other, receive)) || ++looks == looks_max)
      return true;
  }
  return false;
}

namespace {

BATON_COLD void tell_kept(MatchQueue& queue, const UnexpectedMessage& unexpected) {
  if (are_told(marked_queues_bit)) unexpected_grew(queue);
  if (is_told(Event::message_unexpected))
    tell(Event::message_unexpected, EventPlace::inside, unexpected.context,
         {unexpected.bytes, unexpected.source, unexpected.tag});
}

}  // namespace

void keep(MatchQueue& queue, UnexpectedMessage& unexpected) {
  unexpected.order = queue.next_order++;
  queue.unexpected[MatchQueue::bin(unexpected.source)].push(&unexpected);
  ++queue.unexpected_count;
  if (are_told(bit_of(Event::message_unexpected) | marked_queues_bit)) tell_kept(queue, unexpected);
}

namespace {

UnexpectedMessage* take_from(MatchQueue& queue, const UnexpectedPosition& position) {
  --queue.unexpected_count;
  return position.list->take_after(position.before);
}

}  // namespace

UnexpectedMessage* look_for_unexpected(MatchQueue& queue, std::int32_t source, std::int32_t tag) {
  return find_position(queue, source, tag).unexpected;
}

UnexpectedMessage* take_unexpected(MatchQueue& queue, std::int32_t source, std::int32_t tag) {
  UnexpectedPosition position = find_position(queue, source, tag);
  return position.unexpected ? take_from(queue, position) : nullptr;
}

UnexpectedMessage* take_wanted(MatchQueue& queue, std::int32_t source,
                               bool (*wanted)(const UnexpectedMessage& one, const void* mark),
                               const void* mark) {
  List<UnexpectedMessage>& list = queue.unexpected[MatchQueue::bin(source)];
  UnexpectedMessage* before = nullptr;
  for (UnexpectedMessage* unexpected = list.first; unexpected;
       before = unexpected, unexpected = unexpected->next)
    if (wanted(*unexpected, mark)) return take_from(queue, {&list, before, unexpected});
  return nullptr;
}

}  // namespace baton::message
