// This is a run's part in one round of its room (lockfree/room.hpp). Algorithms in rooms are
// written with it.
#pragma once

#include "collective/room/machine_groups.hpp"
#include "collective/run.hpp"
#include "datatype/pack.hpp"

namespace baton::collective {

class Visit {
 public:
  Visit(Run& run, const Round& round)
      : run_(run), comm_(*run.call.comm), view_(run.room()), round_(round) {}

  int rank() const { return comm_.rank(); }
  int ranks() const { return comm_.size(); }
  bool is_host() const { return run_.is_host(); }

  // `co_await` these until lines and blocks may be written, and until slots [from, to) have been
  // published.
  auto may_write() { return run_.until(MayWrite{*this}); }
  auto arrived(int from, int to) { return run_.until(awaiting(from, to, false)); }
  // `co_await` this until all slots have been published, where all ranks await that and nobody is
  // ahead: where ranks outnumber CPUs by far, they sleep soon (message/core/wait.cpp).
  auto all_met() { return run_.until(awaiting(0, ranks(), true)); }
  bool has_arrived(int of) const {
    return view_.room.has_arrived(static_cast<std::uint32_t>(of), round_);
  }
  auto all_arrived() { return arrived(0, ranks()); }
  auto arrived(Places places) { return run_.until(SomeArrived{*this, places}); }
  // Returns the rank in MPI_COMM_WORLD behind a slot, for reports of long waits.
  std::uint32_t world_rank(int of) const {
    return message::world_rank(comm_.collective.process(of));
  }

  // Returns where the payload of a slot lies.
  char* payload(int of) const { return view_.room.payload(static_cast<std::uint32_t>(of), round_); }
  // These pack a payload into a slot and take one from there, whole or from a byte on.
  void put(int of, const void* buffer, std::int64_t count, const Datatype& type,
           std::int64_t offset = 0) const {
    put_part(of, offset, buffer, type, 0, count * type.size);
  }
  void take(int of, void* buffer, std::int64_t count, const Datatype& type,
            std::int64_t offset = 0) const {
    take_part(of, offset, buffer, type, 0, count * type.size);
  }
  // These move `bytes` of the packed data, from a byte on.
  void put_part(int of, std::int64_t offset, const void* buffer, const Datatype& type,
                std::int64_t from, std::int64_t bytes) const;
  void take_part(int of, std::int64_t offset, void* buffer, const Datatype& type, std::int64_t from,
                 std::int64_t bytes) const;

  // Publishes a slot. A rank that waits for it must be woken in addition, by one of the functions
  // below.
  void publish(int of) { view_.room.publish(static_cast<std::uint32_t>(of), round_); }
  // Publishes a slot with a payload of `count` elements, whose length is told.
  void publish(int of, std::int64_t count, const Datatype& type) {
    view_.room.publish_bytes(static_cast<std::uint32_t>(of), round_, count * type.size);
  }
  // Returns whether a slot that has arrived and told its length has the length that we expect. If
  // not, the run has the error, and nothing can be taken from the slot.
  bool has_length(int of, std::int64_t count, const Datatype& type) const {
    const std::int64_t expected = count * type.size;
    const std::uint64_t note =
        round_.has_blocks() ? lockfree::room_note::block : lockfree::room_note::line(expected);
    const auto slot = static_cast<std::uint32_t>(of);
    if (BATON_LIKELY(view_.room.note_at(slot, round_) == note) &&
        (!round_.has_blocks() || view_.room.bytes_at(slot, round_) == expected))
      return true;
    run_.refuse_length(of, view_.room.bytes_at(slot, round_), expected);
    return false;
  }
  void wake(int rank);
  void wake(Places ranks);
  void wake_all();
  // Returns true when we can see that we are not the last, in a round in which all publish their
  // slot: only the last rank needs to wake the others.
  bool others_missing();
  // Returns the same for a round in which these ranks publish their slots.
  bool others_missing(Places places);

  // Publishes our slot in a round in which all publish theirs, and wakes all if we may be the last.
  void publish_own() {
    publish(rank());
    if (!others_missing()) wake_all();
  }

  // Returns up to where the ranks behind these slots, which have arrived, and the ranks that they
  // speak for have finished.
  std::uint64_t finished_by(Places places) const;
  // These publish a line that says where our memory lies (DirectCopy), and return whether another
  // rank's line does.
  void publish_own_copies() {
    view_.room.publish(own(), round_, lockfree::room_note::copies);
    if (!others_missing()) wake_all();
  }
  bool tells_copies(int of) const {
    return view_.room.note_at(static_cast<std::uint32_t>(of), round_) ==
           lockfree::room_note::copies;
  }
  std::int64_t bytes_at(int of) const {
    return view_.room.bytes_at(static_cast<std::uint32_t>(of), round_);
  }

  // Publishes our slot, also in the name of the ranks that have told us how far they have finished.
  void publish_own_for_others(std::uint64_t finished) {
    view_.room.publish_for_others(own(), round_, finished);
  }
  // Ends an exchange: the ranks that speak for all have arrived, and we need nothing any more.
  void finish_exchange(Places speakers) {
    platform::Guard guard(view_.lock);
    view_.room.learn(finished_by(speakers));
    if (view_.room.finish(own(), round_)) wake_waiting();
  }
  // Ends an exchange: all have arrived, and we need nothing any more.
  void finish_exchange() {
    platform::Guard guard(view_.lock);
    view_.room.learn(round_);
    if (view_.room.finish(own(), round_)) wake_waiting();
  }
  void finish() {
    platform::Guard guard(view_.lock);
    if (view_.room.finish(own(), round_)) wake_waiting();
  }

 private:
  // These are the conditions that a visit awaits; they also tell which ranks have not come yet.
  struct MayWrite {
    Visit& visit;
    bool waits = false;
    bool operator()() {
      platform::Guard guard(visit.view_.lock);
      const bool may = visit.view_.room.may_write(visit.own(), visit.round_);
      if (BATON_UNLIKELY(may == waits))
        waits ? visit.view_.room.end_waiting() : visit.view_.room.begin_waiting();
      waits = !may;
      return may;
    }
    void add_missing(lockfree::AwaitedRanks& ranks) const {
      for (int r = 0; r < visit.ranks(); ++r)
        if (r != visit.rank() &&
            !visit.view_.room.has_finished(static_cast<std::uint32_t>(r), visit.round_))
          ranks.add(visit.world_rank(r));
    }
  };
  struct Arrived {
    Visit& visit;
    std::uint32_t missing;
    std::uint32_t end;
    bool is_meeting;
    bool operator()() {
      missing = visit.view_.room.first_missing(missing, end, visit.round_);
      return missing == end;
    }
    void add_missing(lockfree::AwaitedRanks& ranks) const {
      for (int of = static_cast<int>(missing); of < static_cast<int>(end); ++of)
        if (!visit.has_arrived(of)) ranks.add(visit.world_rank(of));
    }
  };
  struct SomeArrived {
    Visit& visit;
    Places places;
    int missing = 0;
    bool operator()() {
      missing = visit.first_missing(places, missing);
      return missing == places.count;
    }
    void add_missing(lockfree::AwaitedRanks& ranks) const {
      for (int i = missing; i < places.count; ++i)
        if (!visit.has_arrived(places[i])) ranks.add(visit.world_rank(places[i]));
    }
  };

  Arrived awaiting(int from, int to, bool is_meeting) {
    return {*this, static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to), is_meeting};
  }

  // Returns the first of some ranks, from index `from` on, that has not arrived; `count` when all
  // have.
  int first_missing(Places places, int from) const {
    while (from < places.count &&
           view_.room.has_arrived(static_cast<std::uint32_t>(places[from]), round_))
      ++from;
    return from;
  }
  // Wakes the ranks that wait until others have finished, if any do.
  void wake_waiting();
  std::uint32_t own() const { return static_cast<std::uint32_t>(comm_.rank()); }
  Run& run_;
  Communicator& comm_;
  world::RoomView& view_;
  Round round_;
};

}  // namespace baton::collective
