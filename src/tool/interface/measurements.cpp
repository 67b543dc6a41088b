#include "tool/interface/measurements.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/event.hpp"
#include "base/handle_table.hpp"
#include "message/core/account.hpp"
#include "tool/interface/readers.hpp"
#include "tool/interface/registrations.hpp"
#include "tool/interface/state.hpp"

namespace baton::tool {

namespace {

struct Measurement;

struct Session {
  Measurement* first = nullptr;
};

// A handle of a variable. What it accumulates is `sum`, and while it runs what has been counted
// since `base`; of a high-water mark only `sum` is used.
struct Measurement {
  const PerformanceVariable* variable;
  Session* session;
  Measurement* next;       // in the session
  Measurement* next_mark;  // in the list of marks that run
  std::uint64_t object;
  message::MatchQueue* queue;  // whose mark it is, while it runs
  int count;
  bool runs;
  bool watches;  // the object is watched for it
  std::uint64_t* base() { return reinterpret_cast<std::uint64_t*>(this + 1); }
  std::uint64_t* sum() { return base() + count; }
  std::uint64_t* now() { return sum() + count; }
};

constinit HandleTable<Session, HandleTag::performance_session> sessions;
constinit HandleTable<Measurement, HandleTag::performance_variable> measurements;
constinit Measurement* marks = nullptr;

// ---- values; all under the interface's lock

// Reads the library's values into now(); false: the object is gone.
bool look(Measurement& one) {
  return one.variable->read(one.object, one.variable->which, one.now());
}

// Hears of a message that was kept while marks run, of whatever queue.
void raise_marks(message::MatchQueue& queue) {
  std::lock_guard guard(interface.lock);
  const std::uint64_t level = queue.unexpected_count;
  for (Measurement* mark = marks; mark; mark = mark->next_mark)
    if (mark->queue == &queue) *mark->sum() = std::max(*mark->sum(), level);
}

void watch_queue(Measurement& mark) {
  mark.queue = queue_of_messages(mark.object);
  message::unexpected_grew = raise_marks;
  mark.next_mark = marks;
  marks = &mark;
  // relaxed: a message that is kept just now is seen by the level that the mark begins with, or
  // not.
  told_events.fetch_or(marked_queues_bit, std::memory_order_relaxed);
}

void unwatch_queue(Measurement& mark) {
  Measurement** link = &marks;
  while (*link != &mark) link = &(*link)->next_mark;
  *link = mark.next_mark;
  // relaxed: one message too many to hear of does no harm.
  if (!marks) told_events.fetch_and(~marked_queues_bit, std::memory_order_relaxed);
}

std::uint64_t value_of(Measurement& one, int i) {
  if (one.variable->is_continuous()) return one.now()[i];
  const bool grows = one.variable->accumulates() && one.runs;
  return one.sum()[i] + (grows ? one.now()[i] - one.base()[i] : 0);
}

constexpr double ns_per_second = 1e9;

void give(Measurement& one, void* values) {
  for (int i = 0; i < one.count; ++i) {
    const std::uint64_t value = value_of(one, i);
    if (one.variable->var_class == MPI_T_PVAR_CLASS_STATE)
      static_cast<int*>(values)[i] = static_cast<int>(value);
    else if (one.variable->var_class == MPI_T_PVAR_CLASS_TIMER)
      static_cast<double*>(values)[i] = static_cast<double>(value) / ns_per_second;
    else
      static_cast<std::uint64_t*>(values)[i] = value;
  }
}

std::uint64_t taken(const Measurement& one, const void* values, int i) {
  if (one.variable->var_class == MPI_T_PVAR_CLASS_TIMER)
    return static_cast<std::uint64_t>(static_cast<const double*>(values)[i] * ns_per_second);
  return static_cast<const std::uint64_t*>(values)[i];
}

int start_one(Measurement& one) {
  if (one.variable->is_continuous()) return MPI_T_ERR_PVAR_NO_STARTSTOP;
  if (one.runs) return MPI_SUCCESS;
  if (!look(one)) return MPI_T_ERR_INVALID_HANDLE;
  if (one.variable->is_mark()) {
    watch_queue(one);
    (void)look(one);  // again: what comes from now on is heard of
    *one.sum() = std::max(*one.sum(), *one.now());
  }
  std::copy_n(one.now(), one.count, one.base());
  one.runs = true;
  return MPI_SUCCESS;
}

int stop_one(Measurement& one) {
  if (one.variable->is_continuous()) return MPI_T_ERR_PVAR_NO_STARTSTOP;
  if (!one.runs) return MPI_SUCCESS;
  if (!look(one)) return MPI_T_ERR_INVALID_HANDLE;
  for (int i = 0; i < one.count; ++i) one.sum()[i] = value_of(one, i);
  if (one.variable->is_mark()) unwatch_queue(one);
  one.runs = false;
  return MPI_SUCCESS;
}

// Sets the starting values: the present level of a mark, else 0.
void begin_again(Measurement& one) {
  for (int i = 0; i < one.count; ++i) {
    one.sum()[i] = one.variable->is_mark() ? one.now()[i] : 0;
    one.base()[i] = one.now()[i];
  }
}

int reset_one(Measurement& one) {
  if (one.variable->is_continuous()) return MPI_T_ERR_PVAR_NO_WRITE;
  if (!look(one)) return MPI_T_ERR_INVALID_HANDLE;
  begin_again(one);
  return MPI_SUCCESS;
}

// ---- handles

Measurement* find(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int* error) {
  const Session* owner = sessions.find(session);
  *error = owner ? MPI_T_ERR_INVALID_HANDLE : MPI_T_ERR_INVALID_SESSION;
  Measurement* one = owner ? measurements.find(handle) : nullptr;
  return one && one->session == owner ? one : nullptr;
}

// Does `act` to a handle, or to all of its session that it may be done to: then `refusal` is the
// answer where it fails, but for those that can only be read.
template <class Act>
int each(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int refusal, Act&& act) {
  std::lock_guard guard(interface.lock);
  if (handle != MPI_T_PVAR_ALL_HANDLES) {
    int error;
    Measurement* one = find(session, handle, &error);
    return one ? act(*one) : error;
  }
  const Session* owner = sessions.find(session);
  if (!owner) return MPI_T_ERR_INVALID_SESSION;
  int answer = MPI_SUCCESS;
  for (Measurement* one = owner->first; one; one = one->next)
    if (!one->variable->is_continuous() && act(*one) != MPI_SUCCESS) answer = refusal;
  return answer;
}

// Makes the library count what it counts only for tools, or no longer.
bool watch(const PerformanceVariable& variable, std::uint64_t object, bool watches) {
  if (variable.bind == MPI_T_BIND_MPI_WIN)
    return interface.objects.watch_window(reinterpret_cast<MPI_Win>(object), watches);
  if (variable.read == read_slept) {
    std::uint32_t& timers = message::engine.sleep_timers;
    platform::store_shared(timers, timers + (watches ? 1u : ~0u));
  }
  return true;
}

void dispose(Measurement& one) {
  if (one.runs && one.variable->is_mark()) unwatch_queue(one);
  (void)watch(*one.variable, one.object, false);
  std::free(&one);
}

// Returns how many values a variable has for an object; 0: there is no such object.
int count_values(const PerformanceVariable& variable, std::uint64_t object) {
  if (variable.bind != MPI_T_BIND_MPI_COMM) return 1;
  const Communicator* comm = find_communicator(object);
  if (!comm) return 0;
  return variable.per_rank ? comm->remote_size() : 1;
}

Measurement* make(const PerformanceVariable& variable, Session& session, std::uint64_t object,
                  int count) {
  const std::size_t bytes =
      sizeof(Measurement) + 3 * static_cast<std::size_t>(count) * sizeof(std::uint64_t);
  auto* one = static_cast<Measurement*>(std::calloc(1, bytes));
  if (!one) return nullptr;
  one->variable = &variable;
  one->session = &session;
  one->object = object;
  one->count = count;
  return one;
}

}  // namespace

int make_session(MPI_T_pvar_session* session) {
  std::lock_guard guard(interface.lock);
  auto* made = new (std::nothrow) Session;
  const MPI_T_pvar_session handle = made ? sessions.add(made) : MPI_T_PVAR_SESSION_NULL;
  if (!handle) {
    delete made;
    return MPI_T_ERR_OUT_OF_SESSIONS;
  }
  *session = handle;
  return MPI_SUCCESS;
}

int free_session(MPI_T_pvar_session session) {
  std::lock_guard guard(interface.lock);
  Session* owner = sessions.remove(session);
  if (!owner) return MPI_T_ERR_INVALID_SESSION;
  measurements.for_each([owner](MPI_T_pvar_handle handle, Measurement* one) {
    if (one->session != owner) return;
    measurements.remove(handle);
    dispose(*one);
  });
  delete owner;
  return MPI_SUCCESS;
}

void free_sessions() {
  sessions.for_each([](MPI_T_pvar_session session, Session*) { (void)free_session(session); });
}

int make_measurement(MPI_T_pvar_session session, const PerformanceVariable& variable,
                     const void* object, MPI_T_pvar_handle* handle, int* count) {
  std::uint64_t bound = 0;
  if (variable.bind != MPI_T_BIND_NO_OBJECT) {
    if (!object) return MPI_T_ERR_INVALID;
    std::memcpy(&bound, object, sizeof bound);
  }
  if (variable.per_rank) {
    if (is_in_callback()) return MPI_T_ERR_NOT_ACCESSIBLE;  // a lock of messages may be held
    if (find_communicator(bound)) message::part_histories();
  }
  std::lock_guard guard(interface.lock);
  Session* owner = sessions.find(session);
  if (!owner) return MPI_T_ERR_INVALID_SESSION;
  const int values = count_values(variable, bound);
  if (values == 0) return MPI_T_ERR_INVALID_HANDLE;
  Measurement* one = make(variable, *owner, bound, values);
  if (!one) return MPI_T_ERR_OUT_OF_HANDLES;
  if (!watch(variable, bound, true) || !look(*one)) {
    std::free(one);
    return MPI_T_ERR_INVALID_HANDLE;
  }
  const MPI_T_pvar_handle made = measurements.add(one);
  if (!made) {
    dispose(*one);
    return MPI_T_ERR_OUT_OF_HANDLES;
  }
  one->next = owner->first;
  owner->first = one;
  *handle = made;
  *count = values;
  return MPI_SUCCESS;
}

int free_measurement(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  std::lock_guard guard(interface.lock);
  int error;
  Measurement* one = find(session, handle, &error);
  if (!one) return error;
  Measurement** link = &one->session->first;
  while (*link != one) link = &(*link)->next;
  *link = one->next;
  measurements.remove(handle);
  dispose(*one);
  return MPI_SUCCESS;
}

int start(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return each(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP, start_one);
}

int stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return each(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP, stop_one);
}

int reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return each(session, handle, MPI_T_ERR_PVAR_NO_WRITE, reset_one);
}

int read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* values) {
  std::lock_guard guard(interface.lock);
  int error;
  Measurement* one = find(session, handle, &error);
  if (!one || !look(*one)) return error;
  give(*one, values);
  return MPI_SUCCESS;
}

int read_and_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* values) {
  std::lock_guard guard(interface.lock);
  int error;
  Measurement* one = find(session, handle, &error);
  if (!one) return error;
  if (one->variable->is_continuous()) return MPI_T_ERR_PVAR_NO_ATOMIC;
  if (!look(*one)) return MPI_T_ERR_INVALID_HANDLE;
  give(*one, values);
  begin_again(*one);
  return MPI_SUCCESS;
}

int write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void* values) {
  std::lock_guard guard(interface.lock);
  int error;
  Measurement* one = find(session, handle, &error);
  if (!one) return error;
  if (one->variable->is_continuous()) return MPI_T_ERR_PVAR_NO_WRITE;
  if (!look(*one)) return MPI_T_ERR_INVALID_HANDLE;
  for (int i = 0; i < one->count; ++i) {
    one->sum()[i] = taken(*one, values, i);
    one->base()[i] = one->now()[i];
  }
  return MPI_SUCCESS;
}

}  // namespace baton::tool
