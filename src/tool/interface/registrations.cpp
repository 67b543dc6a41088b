#include "tool/interface/registrations.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>

#include "base/handle_table.hpp"
#include "message/core/wait.hpp"
#include "platform/clock.hpp"
#include "platform/lock.hpp"
#include "tool/interface/readers.hpp"
#include "tool/interface/state.hpp"

namespace baton::tool {

namespace {

constexpr MPI_T_cb_safety levels[] = {MPI_T_CB_REQUIRE_NONE, MPI_T_CB_REQUIRE_MPI_RESTRICTED,
                                      MPI_T_CB_REQUIRE_THREAD_SAFE,
                                      MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE};
constexpr int level_count = std::size(levels);

struct Callback {
  MPI_T_event_cb_function* function = nullptr;
  void* user_data = nullptr;
};

struct Registration {
  Registration* next = nullptr;
  MPI_T_event_registration handle = nullptr;
  Event event{};
  std::uint64_t object = 0;  // its handle
  Callback callbacks[level_count];
  MPI_T_event_dropped_cb_function* dropped_handler = nullptr;
  MPI_Count dropped = 0;  // since that was told last
  int uses = 0;           // by threads that run its callbacks
  bool freed = false;
  MPI_T_event_free_cb_function* freed_function = nullptr;
  void* freed_data = nullptr;

  bool has_callbacks() const {
    return std::ranges::any_of(callbacks, [](const Callback& one) { return one.function; });
  }
  // Returns the callback that needs the least and is safe enough; null: there is none.
  const Callback* find_callback(int level) const {
    for (; level < level_count; ++level)
      if (callbacks[level].function) return &callbacks[level];
    return nullptr;
  }
};

constinit HandleTable<Registration, HandleTag::event_registration> registrations;
constinit Registration* first = nullptr;

__attribute__((tls_model("initial-exec"))) constinit thread_local EventInstance* instance_now =
    nullptr;

// ---- under the interface's lock

void tell_what_is_wanted() {
  std::uint32_t bits = 0;
  for (const Registration* one = first; one; one = one->next)
    if (!one->freed && one->has_callbacks()) bits |= bit_of(one->event);
  // relaxed, both: who sees an event just now may tell it or not.
  told_events.fetch_and(~event_bits | bits, std::memory_order_relaxed);
  told_events.fetch_or(bits, std::memory_order_relaxed);
  message::note_shortcuts();
}

bool is_about(const Registration& one, std::uint64_t object) {
  switch (event_rows[static_cast<int>(one.event)].object) {
    case EventObject::none:
      return true;
    case EventObject::communicator: {
      const Communicator* comm = find_communicator(one.object);
      return comm && comm->point_to_point.receive_id == object;
    }
    case EventObject::window:
    case EventObject::file:
      return one.object == object;
  }
  __builtin_unreachable();
}

bool exists(Event event, std::uint64_t object) {
  switch (event_rows[static_cast<int>(event)].object) {
    case EventObject::none:
      return true;
    case EventObject::communicator:
      return find_communicator(object) != nullptr;
    case EventObject::window:
      return interface.objects.is_window(reinterpret_cast<MPI_Win>(object));
    case EventObject::file:
      return interface.objects.file_counts(reinterpret_cast<MPI_File>(object)) != nullptr;
  }
  __builtin_unreachable();
}

// Takes out a registration that was freed and that nobody uses; null: there is none.
Registration* take_ended() {
  std::lock_guard guard(interface.lock);
  for (Registration** link = &first; *link; link = &(*link)->next) {
    Registration* one = *link;
    if (!one->freed || one->uses > 0) continue;
    *link = one->next;
    return one;
  }
  return nullptr;
}

// Ends registrations that were freed. The functions for their end run at this level.
void end_freed(int level) {
  while (Registration* one = take_ended()) {
    if (one->freed_function) one->freed_function(one->handle, levels[level], one->freed_data);
    delete one;
  }
}

// ---- telling

// Calls act(registration, lock) for all that live; it may let go of the lock meanwhile.
template <class Act>
void each_registration(Act&& act) {
  std::unique_lock lock(interface.lock);
  Registration* one = first;
  if (one) ++one->uses;
  while (one) {
    if (!one->freed) act(*one, lock);
    Registration* next = one->next;
    if (next) ++next->uses;
    --one->uses;
    one = next;
  }
}

// Tells a registration of the events that it has lost, if one of its callbacks would be safe here.
void tell_dropped(Registration& one, int level, std::unique_lock<std::mutex>& lock) {
  const Callback* callback = one.find_callback(level);
  if (one.dropped == 0 || !one.dropped_handler || !callback) return;
  const MPI_Count count = one.dropped;
  one.dropped = 0;
  auto* handler = one.dropped_handler;
  void* data = callback->user_data;
  lock.unlock();
  handler(count, one.handle, 0, levels[level], data);
  lock.lock();
}

void raise(Registration& one, EventInstance& instance, std::unique_lock<std::mutex>& lock) {
  const Callback* found = one.find_callback(instance.level);
  if (!found) {
    if (one.dropped_handler && one.has_callbacks()) ++one.dropped;
    return;
  }
  const Callback callback = *found;
  lock.unlock();
  callback.function(reinterpret_cast<MPI_T_event_instance>(&instance), one.handle,
                    levels[instance.level], callback.user_data);
  lock.lock();
}

void drop_all(Event event, std::uint64_t object) {
  std::lock_guard guard(interface.lock);
  for (Registration* one = first; one; one = one->next)
    if (!one->freed && one->event == event && one->dropped_handler && one->has_callbacks() &&
        is_about(*one, object))
      ++one->dropped;
}

void listen(Event event, EventPlace place, std::uint64_t object,
            std::initializer_list<std::int64_t> values) {
  if (instance_now) return drop_all(event, object);
  constexpr int none = 0, restricted = 1, thread_safe = 2;  // of levels
  const int level = platform::threads_multiple  ? thread_safe
                    : place == EventPlace::call ? none
                                                : restricted;
  EventInstance instance{event, level, platform::now_ns(), {}};
  std::copy(values.begin(), values.end(), instance.values);
  instance_now = &instance;
  each_registration([level](Registration& one, auto& lock) { tell_dropped(one, level, lock); });
  each_registration([&](Registration& one, auto& lock) {
    if (one.event == event && is_about(one, object)) raise(one, instance, lock);
  });
  instance_now = nullptr;
  end_freed(level);
}

}  // namespace

const EventInstance* find_instance(MPI_T_event_instance handle) {
  return handle && handle == reinterpret_cast<MPI_T_event_instance>(instance_now) ? instance_now
                                                                                  : nullptr;
}

bool is_in_callback() {
  return instance_now != nullptr;
}

int place_of(MPI_T_cb_safety safety) {
  for (int place = 0; place < level_count; ++place)
    if (levels[place] == safety) return place;
  return -1;
}

int make_registration(Event event, const void* object, MPI_T_event_registration* registration) {
  std::uint64_t bound = 0;
  if (event_rows[static_cast<int>(event)].object != EventObject::none) {
    if (!object) return MPI_T_ERR_INVALID;
    std::memcpy(&bound, object, sizeof bound);
  }
  std::lock_guard guard(interface.lock);
  if (!exists(event, bound)) return MPI_T_ERR_INVALID_HANDLE;
  auto* made = new (std::nothrow) Registration;
  if (made) made->handle = registrations.add(made);
  if (!made || !made->handle) {
    delete made;
    return MPI_T_ERR_OUT_OF_HANDLES;
  }
  made->event = event;
  made->object = bound;
  made->next = first;
  first = made;
  // ORDER event.listener: release here, acquire in tell.
  event_listener.store(listen, std::memory_order_release);
  *registration = made->handle;
  return MPI_SUCCESS;
}

int free_registration(MPI_T_event_registration registration, void* user_data,
                      MPI_T_event_free_cb_function* freed) {
  {
    std::lock_guard guard(interface.lock);
    Registration* one = registrations.remove(registration);
    if (!one) return MPI_T_ERR_INVALID_HANDLE;
    one->freed = true;
    one->freed_function = freed;
    one->freed_data = user_data;
    tell_what_is_wanted();
  }
  end_freed(instance_now ? instance_now->level : 0);
  return MPI_SUCCESS;
}

void free_registrations() {
  registrations.for_each([](MPI_T_event_registration registration, Registration*) {
    (void)free_registration(registration, nullptr, nullptr);
  });
}

bool is_registration(MPI_T_event_registration registration) {
  return registrations.find(registration) != nullptr;
}

bool has_callback(MPI_T_event_registration registration, MPI_T_cb_safety safety) {
  std::lock_guard guard(interface.lock);
  const Registration* one = registrations.find(registration);
  return one && one->callbacks[place_of(safety)].function;
}

int set_callback(MPI_T_event_registration registration, MPI_T_cb_safety safety, void* user_data,
                 MPI_T_event_cb_function* callback) {
  std::lock_guard guard(interface.lock);
  Registration* one = registrations.find(registration);
  if (!one) return MPI_T_ERR_INVALID_HANDLE;
  one->callbacks[place_of(safety)] = {callback, user_data};
  tell_what_is_wanted();
  return MPI_SUCCESS;
}

int set_dropped_handler(MPI_T_event_registration registration,
                        MPI_T_event_dropped_cb_function* handler) {
  std::lock_guard guard(interface.lock);
  Registration* one = registrations.find(registration);
  if (!one) return MPI_T_ERR_INVALID_HANDLE;
  one->dropped_handler = handler;
  one->dropped = 0;
  return MPI_SUCCESS;
}

}  // namespace baton::tool
