#include "message/meet.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "message/core/announce.hpp"
#include "message/core/contact.hpp"
#include "message/core/meeting.hpp"
#include "message/core/queues.hpp"
#include "message/core/wait.hpp"
#include "message/errand.hpp"
#include "message/node/node_protocol.hpp"
#include "platform/stream.hpp"

namespace baton::message {

Errand errand;

namespace {

std::uint32_t end_of(const Meeting& meeting) {
  return meeting.first + meeting.count;
}

}  // namespace

Error take_numbers(Meeting& meeting) {
  platform::Guard guard(engine.meetings_lock);
  meeting.first = engine.ranks;
  for (const Meeting* other = engine.meetings; other;)
    if (other->count > 0 && meeting.first < end_of(*other) && other->first < end_of(meeting)) {
      meeting.first = end_of(*other);
      other = engine.meetings;
    } else {
      other = other->next;
    }
  if (end_of(meeting) <= processes_max) return MPI_SUCCESS;
  return fail(MPI_ERR_OTHER, "this process knows %u processes, and %u more than that are too many",
              engine.process_count, meeting.count);
}

void list_meeting(Meeting& meeting) {
  platform::Guard guard(engine.meetings_lock);
  meeting.next = engine.meetings;
  engine.meetings = &meeting;
  engine.process_count = std::max(engine.process_count, end_of(meeting));
}

namespace {

ProcessId id_at(transport::Slot slot) {
  const auto& launcher = transport::status_row(slot).launcher;
  return {Job{launcher.job}, WorldRank{launcher.process}};
}

// Numbers the processes of the slots. The memory of both lists is freed with the meeting.
Error number_processes(Meeting& meeting) {
  const transport::Slot own = meeting.own;
  meeting.met = static_cast<Meeting::Met*>(std::malloc(own.count() * sizeof(Meeting::Met)));
  auto* numbers = static_cast<Process*>(std::malloc(own.count() * sizeof(Process)));
  transport::set_processes(own, numbers);
  if (!meeting.met || !numbers)
    return fail(MPI_ERR_NO_MEM, "no memory to meet %u processes", own.count());
  for (std::uint32_t index = 0; index < own.count(); ++index) {
    const ProcessId id = id_at(own.at(index));
    // Nothing comes from the slots of our own job, nor of those whose messages go through an
    // earlier meeting.
    numbers[index] = engine.self;
    if (Process known; id.job != engine.job && !find_met(id, &known))
      meeting.met[meeting.count++] = {id, index};
  }
  if (Error error = take_numbers(meeting)) return error;
  for (std::uint32_t i = 0; i < meeting.count; ++i)
    numbers[meeting.met[i].index] = static_cast<Process>(meeting.first + i);
  return MPI_SUCCESS;
}

void forget_met_list(Meeting& meeting) {
  std::free(meeting.met);
  meeting.met = nullptr;
}

// Meetings that were left stay, since their protocols are among the sources of progress, which
// other threads may be looking at; a protocol serves another meeting later.
NodeProtocol* take_protocol(transport::Slot own) {
  Meeting* left = engine.left_meetings;
  if (!left) return new (std::nothrow) NodeProtocol(own);
  engine.left_meetings = left->next;
  auto* protocol = static_cast<NodeProtocol*>(left->protocol);
  delete left;
  protocol->move_to(own);
  return protocol;
}

// Ends a meeting that is in no list any more.
void leave(Meeting& meeting) {
  if (meeting.is_over_network()) return leave_over_network(meeting);
  forget_met_list(meeting);
  transport::leave_meeting(meeting.own);
  if (!meeting.protocol) return delete &meeting;
  static_cast<NodeProtocol*>(meeting.protocol)->close();
  meeting.next = engine.left_meetings;
  engine.left_meetings = &meeting;
}

// Under the progress lock.
Error begin(int descriptor, std::uint32_t index, Meeting** held) {
  auto* meeting = new (std::nothrow) Meeting;
  if (!meeting) return fail(MPI_ERR_NO_MEM, "no memory to meet processes of another job");
  if (Error error = transport::join_meeting(descriptor, index, &meeting->own)) {
    delete meeting;
    return error;
  }
  Error error = number_processes(*meeting);
  auto* protocol = error ? nullptr : take_protocol(meeting->own);
  meeting->protocol = protocol;
  if (!error) error = protocol ? protocol->set_up() : fail(MPI_ERR_NO_MEM, "no memory to meet");
  if (error) {
    leave(*meeting);
    return error;
  }
  engine.fences_before_notify = true;  // theirs may be the job whose receivers rely on it
  meeting->uses = 1;
  *held = meeting;
  list_meeting(*meeting);
  if (engine.doorbells) {
    lockfree::announce(transport::doorbell(meeting->own), lockfree::wake_doorbell);
    order_against_senders();
  }
  return MPI_SUCCESS;
}

// Under the progress lock: forgets those who were met, so that their numbers can be given again.
void forget_met(const Meeting& meeting) {
  drop_unexpected_of(meeting.first, meeting.count);
  for (std::uint32_t i = meeting.first; i < end_of(meeting); ++i) {
    forget_contact(static_cast<Process>(i));
    if (engine.lost.errors) engine.lost.errors[i] = 0;
  }
  platform::Guard guard(engine.meetings_lock);
  engine.process_count = engine.ranks;
  for (const Meeting* left = engine.meetings; left; left = left->next)
    engine.process_count = std::max(engine.process_count, end_of(*left));
}

// Under the progress lock.
bool may_leave(Meeting& meeting) {
  if (platform::load_shared(meeting.uses) != 0 || !meeting.protocol->has_left()) return false;
  for (std::uint32_t i = meeting.first; i < end_of(meeting); ++i)
    if (const Peer* peer = engine.peers[i]; peer && peer->queued.first) return false;
  return !meeting.is_over_network() || meeting.has_said_goodbye;
}

// Tells those that are elsewhere that this process forgets them. It leaves when that has left.
bool must_say_goodbye(Meeting& meeting) {
  return meeting.is_over_network() && !meeting.has_said_goodbye &&
         platform::load_shared(meeting.uses) == 0;
}

// Takes out of the list a meeting that nobody uses; null: there is none. Under the progress lock.
Meeting* take_unused() {
  platform::Guard guard(engine.meetings_lock);
  for (Meeting** link = &engine.meetings; *link; link = &(*link)->next)
    if (Meeting* meeting = *link; may_leave(*meeting)) {
      // Another thread may call for a new meeting as soon as it does not find this one.
      // relaxed: see is_there in meeting.cpp.
      if (!meeting->is_over_network())
        transport::status_row(meeting->own)
            .state.pid.store(lockfree::left_process, std::memory_order_relaxed);
      *link = meeting->next;
      return meeting;
    }
  return nullptr;
}

}  // namespace

void leave_unused() {
  for (Meeting* meeting = engine.meetings; meeting; meeting = meeting->next)
    if (must_say_goodbye(*meeting)) say_goodbye(*meeting);
  while (Meeting* meeting = take_unused()) {
    forget_met(*meeting);
    leave(*meeting);
  }
}

Error meet(int descriptor, std::uint32_t index, Meeting** held) {
  Error error = MPI_SUCCESS;
  errand.run([&] {
    leave_unused();
    error = begin(descriptor, index, held);
  });
  return error;
}

void let_go(Meeting& meeting) {
  platform::add_shared(meeting.uses, static_cast<std::uint32_t>(-1));
}

bool hold_known(ProcessId id, Process* found) {
  platform::Guard guard(engine.meetings_lock);
  if (!find_met_locked(id, found)) return false;
  platform::add_shared(meeting_with(*found).uses, std::uint32_t{1});
  return true;
}

void hold_met(Process process) {
  platform::add_shared(meeting_of(process).uses, std::uint32_t{1});
}

void let_go_met(Process process) {
  let_go(meeting_of(process));
}

namespace {

bool is_leaving_any() {
  platform::Guard guard(engine.meetings_lock);
  for (const Meeting* meeting = engine.meetings; meeting; meeting = meeting->next)
    if (meeting->has_said_goodbye) return true;
  return false;
}

}  // namespace

void leave_unused_meetings() {
  if (!engine.meetings) return;
  errand.run(leave_unused);
  // Where a goodbye has to leave first, that is most often at once; else a later call ends it.
  constexpr std::int64_t patience_ms = 100;  // guess
  if (!is_leaving_any()) return;
  const std::int64_t end_ms = platform::now_ms() + patience_ms;
  wait_until([end_ms] { return all_have_left() || platform::now_ms() >= end_ms; });
  errand.run(leave_unused);
}

void say_goodbye_to_all() {
  if (!engine.meetings) return;
  errand.run([] {
    for (Meeting* meeting = engine.meetings; meeting; meeting = meeting->next)
      if (meeting->is_over_network() && !meeting->has_said_goodbye) say_goodbye(*meeting);
  });
}

void forget_meetings() {
  while (Meeting* meeting = engine.meetings) {
    engine.meetings = meeting->next;
    if (!meeting->is_over_network()) transport::leave_meeting(meeting->own);
    forget_met_list(*meeting);
    delete meeting;
  }
  while (Meeting* left = engine.left_meetings) {
    engine.left_meetings = left->next;
    delete left->protocol;
    delete left;
  }
}

}  // namespace baton::message
