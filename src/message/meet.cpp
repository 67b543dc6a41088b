#include "message/meet.hpp"

#include <cstdlib>
#include <new>

#include "message/core/announce.hpp"
#include "message/core/meeting.hpp"
#include "message/node/node_protocol.hpp"

namespace baton::message {

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
  meeting.first = engine.process_count;
  for (std::uint32_t index = 0; index < own.count(); ++index) {
    const ProcessId id = id_at(own.at(index));
    if (id.job == engine.job) {
      numbers[index] = process_of(id);
      continue;
    }
    if (Process known; find_met(id, &known))
      return fail(MPI_ERR_OTHER, "rank %u of job %u was met before", number_of(id.rank),
                  static_cast<std::uint32_t>(id.job));
    numbers[index] = static_cast<Process>(meeting.first + meeting.count);
    meeting.met[meeting.count++] = {id, index};
  }
  if (meeting.first + meeting.count > processes_max)
    return fail(MPI_ERR_OTHER,
                "this process knows %u processes, and %u more than that are too many",
                meeting.first, meeting.count);
  return MPI_SUCCESS;
}

void forget(Meeting* meeting) {
  std::free(meeting->met);
  delete meeting;
}

Error set_up(Meeting& meeting, int descriptor, std::uint32_t index) {
  if (Error error = transport::join_meeting(descriptor, index, &meeting.own)) return error;
  Error error = number_processes(meeting);
  auto* protocol = error ? nullptr : new (std::nothrow) NodeProtocol(meeting.own);
  if (!error) error = protocol ? protocol->set_up() : fail(MPI_ERR_NO_MEM, "no memory to meet");
  if (error) {
    delete protocol;
    transport::leave_meeting(meeting.own);
    return error;
  }
  meeting.protocol = protocol;
  return MPI_SUCCESS;
}

}  // namespace

Error meet(int descriptor, std::uint32_t index) {
  auto* meeting = new (std::nothrow) Meeting;
  if (!meeting) return fail(MPI_ERR_NO_MEM, "no memory to meet processes of another job");
  platform::Guard guard(engine.progress_lock);
  if (Error error = set_up(*meeting, descriptor, index)) {
    forget(meeting);
    return error;
  }
  engine.fences_before_notify = true;  // theirs may be the job whose receivers rely on it
  meeting->next = engine.meetings;
  engine.meetings = meeting;
  engine.process_count += meeting->count;
  if (engine.doorbells) {
    lockfree::announce(transport::doorbell(meeting->own), lockfree::wake_doorbell);
    order_against_senders();
  }
  return MPI_SUCCESS;
}

void forget_meetings() {
  while (Meeting* meeting = engine.meetings) {
    engine.meetings = meeting->next;
    transport::leave_meeting(meeting->own);
    forget(meeting);
  }
}

}  // namespace baton::message
