// Matching: one queue a context, of receives posted and of messages that arrived before them.
// Receives that name their source hang in bins by source; any-source ones in a list of their own,
// and a running number decides who came first.
// Invariant: a posted receive and an unexpected message that match never exist together.
#pragma once

#include <cstdint>

#include "base/identity.hpp"
#include "message/core/request.hpp"
#include "platform/lock.hpp"

namespace baton::message {

struct Account;

// A message that came before its receive: its payload, or the rendezvous that brings it.
struct UnexpectedMessage {
  UnexpectedMessage* next = nullptr;
  std::uint64_t order = 0;
  std::uint32_t context = 0;
  std::int32_t source = 0;  // rank in the communicator
  std::int32_t tag = 0;
  Process process{};  // the sender
  std::int64_t bytes = 0;
  bool offered = false;        // its data stays with the sender, whose protocol receives it
  bool claimed = false;        // of an offered one: its sender cannot cancel it any more
  Account* account = nullptr;  // of whom its bytes are kept; null: nobody's
  std::int64_t kept_bytes = 0;
  Part<48> part;               // of an offered one: its protocol's
  Request* receive = nullptr;  // that it was matched with, while it waits to be copied
  // The communicator of a message that MPI_Mprobe took out: it lives until the message is received.
  void* owner = nullptr;
  Usage* usage = nullptr;
  bool to_host = false;  // whoever receives it promises that the buffer is host memory
  char* payload() { return reinterpret_cast<char*>(this + 1); }
  const char* payload() const { return reinterpret_cast<const char*>(this + 1); }
};

// Progress looks at `first` of a peer's queue without its lock, so links are stored as words that
// threads share.
template <class Item>
struct List {
  Item* first = nullptr;
  Item* last = nullptr;
  void push(Item* item) {
    item->next = nullptr;
    platform::store_shared(first ? last->next : first, item);
    last = item;
  }
  void push_front(Item* item) {
    item->next = first;
    platform::store_shared(first, item);
    if (!last) last = item;
  }
  // Takes out the item after `before` (null: the first).
  Item* take_after(Item* before) {
    Item*& link = before ? before->next : first;
    Item* item = link;
    platform::store_shared(link, item->next);
    if (last == item) last = before;
    return item;
  }
};

struct MatchQueue {
  static constexpr std::uint32_t bin_count = 16;

  platform::Lock lock;
  std::uint32_t posted_count = 0;
  std::uint32_t unexpected_count = 0;
  std::uint64_t next_order = 0;
  List<Request> posted[bin_count];
  List<Request> posted_any;
  List<UnexpectedMessage> unexpected[bin_count];

  static std::uint32_t bin(std::int32_t source) {
    return static_cast<std::uint32_t>(source) % bin_count;
  }
};

// The queues of context ids: two levels, so that a queue never moves and an unused range costs one
// pointer.
struct MatchQueues {
  static constexpr std::uint32_t leaf_contexts = 1024;
  static constexpr std::uint32_t leaf_count = 4096;
  struct Leaf {
    MatchQueue* queues[leaf_contexts];
  };
  Leaf* leaves[leaf_count] = {};
  platform::Lock lock;
};

// Returns whether a receive with this tag matches a message with that one.
inline bool tag_fits(std::int32_t wanted, std::int32_t tag) {
  // Negative tags belong to the library itself: a wildcard must not see them.
  return wanted == tag || (wanted == MPI_ANY_TAG && tag >= 0);
}

// Returns whether some message could match both receives, as far as tags go.
inline bool tags_overlap(const Request& one, const Request& other) {
  return one.tag == other.tag || one.tag == MPI_ANY_TAG || other.tag == MPI_ANY_TAG;
}

void post(MatchQueue& queue, Request& request);
// Puts a receive back where it stood: the message it had matched was withdrawn.
void post_again(MatchQueue& queue, Request& request);
// Takes the first posted receive that matches a message; null when there is none.
Request* take_posted(MatchQueue& queue, std::int32_t source, std::int32_t tag);
// Takes a given posted receive out, to cancel it. False when it was matched already.
bool take_back(MatchQueue& queue, Request& request);

// Returns whether an earlier receive that is not advertised could match what this one matches. The
// sender must never choose between receives of which it does not know the first.
bool is_behind_unadvertised(const MatchQueue& queue, const Request& receive);

// Keeps a message whose receive is not posted. Tools that ask are told.
void keep(MatchQueue& queue, UnexpectedMessage& unexpected);
// This hears of each message that is kept while marked_queues_bit is set, under the queue's lock.
// tool/ sets it.
extern void (*unexpected_grew)(MatchQueue& queue);
// The first unexpected message that a receive or probe with this source and tag matches; null when
// none. The second takes it out. Its sender may have cancelled it (unexpected.hpp).
UnexpectedMessage* look_for_unexpected(MatchQueue& queue, std::int32_t source, std::int32_t tag);
UnexpectedMessage* take_unexpected(MatchQueue& queue, std::int32_t source, std::int32_t tag);
// Takes the first one from a source that is wanted, to cancel it; null when there is none.
UnexpectedMessage* take_wanted(MatchQueue& queue, std::int32_t source,
                               bool (*wanted)(const UnexpectedMessage& one, const void* mark),
                               const void* mark);

}  // namespace baton::message
