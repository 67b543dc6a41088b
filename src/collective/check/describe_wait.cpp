#include "collective/check/describe_wait.hpp"

#include "collective/check/procedure.hpp"
#include "collective/check/words.hpp"
#include "collective/form.hpp"
#include "message/core/engine.hpp"
#include "message/core/requests.hpp"
#include "message/core/wait_report.hpp"
#include "message/partitioned/partitioned.hpp"
#include "platform/call_stack.hpp"
#include "world/agree/agree.hpp"

namespace baton::collective {

using lockfree::AwaitedRanks;
using lockfree::WaitDescription;
using message::WaitSubject;

namespace {

void add_communicator(Words& words, const Communicator& comm) {
  if (comm.name[0])
    words.add(" on %s", comm.name);
  else
    words.add(" on a communicator of %d ranks without a name", comm.size());
}

// Adds a rank of a communicator, and its rank in the job if that differs.
void add_rank(Words& words, const Communicator& comm, int rank) {
  const Process process = comm.point_to_point.process(rank);
  const auto in_job = static_cast<int>(message::world_rank(process));
  if (!message::is_of_own_job(process))
    words.add("rank %d (%d in another job)", rank, in_job);
  else
    words.add(in_job == rank ? "rank %d" : "rank %d (%d in MPI_COMM_WORLD)", rank, in_job);
}

// Adds a process that is waited for. The list has ranks of this job.
void add_awaited(AwaitedRanks& awaited, Process process) {
  if (message::is_of_own_job(process)) awaited.add(message::world_rank(process));
}

// Returns whether a request's source is a rank of its communicator, as the program numbers them. In
// messages of the library's own it may be one of both groups together.
bool names_rank(const Request& request, const Communicator& comm) {
  const auto plane = static_cast<message::Plane>(request.context % message::plane_count);
  return request.context / message::plane_count == comm.id &&
         (!comm.is_inter() || plane == message::Plane::point_to_point ||
          plane == message::Plane::collective);
}

// Adds the ranks from which an any-source receive or probe may receive.
void add_all(AwaitedRanks& awaited, const Communicator& comm) {
  for (int r = 0; r < comm.remote_size(); ++r) {
    const Process process = comm.point_to_point.process(r);
    if (process != message::engine.self) add_awaited(awaited, process);
  }
}

void add_source(Words& words, AwaitedRanks& awaited, const Communicator& comm, int source,
                int tag) {
  words.add(" from ");
  if (source >= 0) {
    add_rank(words, comm, source);
    add_awaited(awaited, comm.point_to_point.process(source));
  } else {
    words.add("any rank");
    add_all(awaited, comm);
  }
  if (tag >= 0)
    words.add(", tag %d", tag);
  else
    words.add(", any tag");
}

// Returns the rank of a process in the communicator; processes that are in none of its groups have
// none.
int rank_in(const Communicator& comm, Process process) {
  for (int r = 0; r < comm.remote_size(); ++r)
    if (comm.point_to_point.process(r) == process) return r;
  return -1;
}

void describe_send(const Request& request, const Communicator& comm, Words& words,
                   AwaitedRanks& awaited) {
  words.add("a send of %lld bytes", static_cast<long long>(request.bytes));
  if (const int rank = rank_in(comm, request.process); rank >= 0) {
    words.add(" to ");
    add_rank(words, comm, rank);
  }
  if (request.tag >= 0) words.add(", tag %d", request.tag);
  add_communicator(words, comm);
  add_awaited(awaited, request.process);
}

void describe_receive(const Request& request, const Communicator& comm, Words& words,
                      AwaitedRanks& awaited) {
  if (!names_rank(request, comm)) {
    words.add("an agreement");
  } else if (request.stage == message::Stage::posted) {
    words.add("a receive of up to %lld bytes", static_cast<long long>(request.bytes));
    add_source(words, awaited, comm, request.source, request.tag);
  } else {
    words.add("a message that has begun to come");
    add_awaited(awaited, request.process);
  }
  add_communicator(words, comm);
}

void describe_partitioned(const Request& request, const Communicator& comm, Words& words,
                          AwaitedRanks& awaited) {
  const bool sends = request.kind == message::RequestKind::partitioned_send;
  const int partitions = message::partitioned::partitions_of(request);
  words.add("a partitioned %s of %lld bytes in %d partitions %s ", sends ? "send" : "receive",
            static_cast<long long>(request.bytes), partitions, sends ? "to" : "from");
  if (request.source < 0) return words.add("MPI_PROC_NULL");
  add_rank(words, comm, request.source);
  words.add(", tag %d", request.tag);
  add_communicator(words, comm);
  awaited.add(message::world_rank(request.process));
}

void describe_collective(const Run& run, const WaitSubject& subject, Words& words,
                         WaitDescription& wait) {
  const Call& call = run.program_call();
  const Communicator& comm = *call.comm;
  const Form form = call.persistent     ? Form::persistent
                    : run.is_blocking() ? Form::blocking
                                        : Form::nonblocking;
  const CallNumber number = run.number();
  const char* caller = caller_on(comm);
  words.add("%s, ", caller ? caller : ProcedureName(procedure_of(call, form)).text);
  words.add_call(comm, number);
  const Blocks& data = call.out.type && !call.out.in_place() ? call.out : call.in;
  if (data.type && !data.counts)
    words.add(", %lld bytes a rank", static_cast<long long>(data.uniform * data.type->size));
  wait.collective = 1;
  wait.communicator = comm.id;
  wait.number = number.number << 1 | number.persistent;
  wait.members = members_hash(comm);
  if (subject.add_missing) subject.add_missing(subject.state, wait.awaited);
  if (wait.awaited.count == 0) run.add_partners(wait.awaited);
}

void describe_request(const Request& request, Words& words, WaitDescription& wait) {
  if (const Run* run = run_of(request))
    return describe_collective(*run, run->subject(), words, wait);
  const auto* comm = static_cast<const Communicator*>(request.owner);
  if (request.kind == message::RequestKind::generalized || !comm)
    return words.add("a generalized request");
  if (message::partitioned::is_partitioned(request))
    describe_partitioned(request, *comm, words, wait.awaited);
  else if (request.kind == message::RequestKind::send)
    describe_send(request, *comm, words, wait.awaited);
  else
    describe_receive(request, *comm, words, wait.awaited);
}

const Request* active_request(MPI_Request handle) {
  const Request* request = message::requests.find(handle);
  return request && message::is_active(*request) ? request : nullptr;
}

// Describes the first active request, and says how many there are. A rank that can end one of them
// can end the wait.
void describe_any(const MPI_Request* handles, int count, Words& words, WaitDescription& wait) {
  int active = 0, first = 0;
  for (int i = 0; i < count; ++i)
    if (active_request(handles[i]) && active++ == 0) first = i;
  if (active == 0) return;
  if (active > 1) words.add("any of %d requests, the first: ", active);
  describe_request(*active_request(handles[first]), words, wait);
  if (active == 1) return;
  wait.collective = 0;
  char ignored[sizeof wait.words];
  for (int i = first + 1; i < count; ++i) {
    const Request* request = active_request(handles[i]);
    if (!request) continue;
    Words rest(ignored);
    WaitDescription other;
    describe_request(*request, rest, other);
    other.awaited.each([&](std::uint32_t rank) { wait.awaited.add(rank); });
    wait.awaited.more |= other.awaited.more;
  }
}

void describe(const WaitSubject& subject, WaitDescription& wait) {
  Words words(wait.words);
  switch (subject.kind) {
    case WaitSubject::Kind::other:
      return;
    case WaitSubject::Kind::request:
      return describe_request(*static_cast<const Request*>(subject.object), words, wait);
    case WaitSubject::Kind::any_of_requests:
      return describe_any(static_cast<const MPI_Request*>(subject.object), subject.count, words,
                          wait);
    case WaitSubject::Kind::probe: {
      const auto& probe = *static_cast<const message::ProbeWait*>(subject.object);
      const auto& comm = *static_cast<const Communicator*>(probe.owner);
      words.add("a message");
      add_source(words, wait.awaited, comm, probe.source, probe.tag);
      return add_communicator(words, comm);
    }
    case WaitSubject::Kind::collective:
      return describe_collective(*static_cast<const Run*>(subject.object), subject, words, wait);
    case WaitSubject::Kind::own:
      return subject.describe(subject.object, wait);
  }
}

}  // namespace

std::uint64_t members_hash(const Communicator& comm) {
  const world::Members members = comm.members(0);
  std::uint64_t hash = 0;
  for (int i = 0; i < members.count; ++i)
    hash = world::scramble(hash + message::world_rank(members.process_at(i)) + 1);
  return hash;
}

const char* caller_on(const Communicator& comm) {
  const char* name = comm.is_of_window ? platform::exported_function_under_way() : nullptr;
  return name && name[0] == 'P' ? name + 1 : name;
}

void describe_long_waits() {
  message::describe_wait = describe;
}

}  // namespace baton::collective
