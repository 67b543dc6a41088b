#include "world/attribute.hpp"

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <new>

#include "platform/futex.hpp"
#include "platform/lock.hpp"
#include "transport/node.hpp"
#include "world/error_code.hpp"
#include "world/portability.hpp"

namespace baton {

struct Attribute {
  Keyval* keyval;
  void* value;
  Attribute* next;
  std::uint64_t order;  // grows with each attribute that is set
  pthread_t caller;     // the thread that runs a callback about it; 0: none
  bool ending;          // the callback is its delete callback
};

namespace {

// The keys of this process, and what all attributes share.
struct Keyvals {
  // Protects the keys and every set: these calls are rare and short. It is never held in a
  // callback.
  platform::Lock lock;
  Keyval* first = nullptr;
  // Numbers of keys are never used twice, so that the use of a freed key is found out. Lower
  // numbers belong to the ABI.
  int next_id = 1024;
  std::uint64_t next_order = 1;
  // Counts callbacks that have ended; threads that wait for one sleep on it.
  std::atomic<std::uint32_t> ended{0};
};
constinit Keyvals keyvals;

// The values of the predefined attributes; negative ones below are not set.
struct PredefinedAttributes {
  int tag_ub = tag_upper_bound;
  int io = MPI_ANY_SOURCE;
  int host = MPI_PROC_NULL;
  // CLOCK_MONOTONIC is one clock for all processes of a node, but not for all nodes.
  int wtime_is_global = 0;
  int universe_size = -1;
  int appnum = -1;
  int fault_tolerant = 0;
};
constinit PredefinedAttributes predefined;

const Keyval::Function dup_function = reinterpret_cast<Keyval::Function>(MPI_COMM_DUP_FN);

template <typename Handle>
int copy_value(const Keyval& keyval, void* handle, void* in, void* out, int* flag) {
  using Copy = int (*)(Handle, int, void*, void*, void*, int*);
  return reinterpret_cast<Copy>(keyval.copy)(static_cast<Handle>(handle), keyval.id,
                                             keyval.extra_state, in, out, flag);
}

template <typename Handle>
int delete_value(const Keyval& keyval, void* handle, void* value) {
  using Delete = int (*)(Handle, int, void*, void*);
  return reinterpret_cast<Delete>(keyval.remove)(static_cast<Handle>(handle), keyval.id, value,
                                                 keyval.extra_state);
}

// Calls the copy callback. Its result belongs to the program: it becomes the code of the failing
// call.
Error call_copy(const Keyval& keyval, void* handle, void* in, void** out, int* flag) {
  *flag = 0;
  if (!keyval.copy) return MPI_SUCCESS;
  if (keyval.copy == dup_function) {
    *flag = 1;
    *out = in;
    return MPI_SUCCESS;
  }
  switch (keyval.kind) {
    case Keyval::Kind::comm:
      return copy_value<MPI_Comm>(keyval, handle, in, out, flag);
    case Keyval::Kind::type:
      return copy_value<MPI_Datatype>(keyval, handle, in, out, flag);
    case Keyval::Kind::win:
      return copy_value<MPI_Win>(keyval, handle, in, out, flag);
  }
  __builtin_unreachable();
}

Error call_delete(const Keyval& keyval, void* handle, void* value) {
  if (!keyval.remove) return MPI_SUCCESS;
  switch (keyval.kind) {
    case Keyval::Kind::comm:
      return delete_value<MPI_Comm>(keyval, handle, value);
    case Keyval::Kind::type:
      return delete_value<MPI_Datatype>(keyval, handle, value);
    case Keyval::Kind::win:
      return delete_value<MPI_Win>(keyval, handle, value);
  }
  __builtin_unreachable();
}

// In the functions from here to `wake`, the caller holds the lock.
void remove_if_unused(Keyval& keyval) {
  if (!keyval.freed || keyval.users != 0) return;
  for (Keyval** link = &keyvals.first; *link; link = &(*link)->next) {
    if (*link != &keyval) continue;
    *link = keyval.next;
    delete &keyval;
    return;
  }
}

Attribute* find(const AttributeSet& set, const Keyval& keyval) {
  for (Attribute* entry = set.first; entry; entry = entry->next)
    if (entry->keyval == &keyval) return entry;
  return nullptr;
}

Attribute* find(const AttributeSet& set, std::uint64_t order) {
  for (Attribute* entry = set.first; entry; entry = entry->next)
    if (entry->order == order) return entry;
  return nullptr;
}

void unlink(AttributeSet& set, Attribute* entry) {
  Attribute** link = &set.first;
  while (*link != entry) link = &(*link)->next;
  *link = entry->next;
  --entry->keyval->users;
  remove_if_unused(*entry->keyval);
  delete entry;
}

bool ends_here(const Attribute& entry) {
  return entry.ending && entry.caller == pthread_self();
}

// Returns the attribute of a key, unless this thread runs its delete callback.
Attribute* find_to_end(const AttributeSet& set, const Keyval& keyval) {
  Attribute* entry = find(set, keyval);
  return entry && ends_here(*entry) ? nullptr : entry;
}

void wake() {
  // ORDER attribute.ended: release here, acquire in Held::take.
  keyvals.ended.fetch_add(1, std::memory_order_release);
  if (platform::threads_multiple) platform::futex_wake(keyvals.ended);
}

// Holds an attribute for this thread while a callback runs. The callback may change the set, and
// even take the attribute away: so the attribute is looked up again afterwards.
class Held {
 public:
  explicit Held(AttributeSet& set) : set_(set) {}

  // Takes the attribute that `choose` finds (with the lock held), after waiting while another
  // thread's callback runs for it. Returns false when `choose` finds none.
  template <class Choose>
  bool take(Choose choose, bool ending) {
    for (;;) {
      // ORDER attribute.ended: acquire here, release in wake; a callback that ends after this look
      // is not slept through.
      std::uint32_t before = keyvals.ended.load(std::memory_order_acquire);
      {
        platform::Guard guard(keyvals.lock);
        Attribute* entry = choose();
        if (!entry) return false;
        if (!entry->caller || entry->caller == pthread_self()) {
          keyval = entry->keyval;
          value = entry->value;
          order = entry->order;
          before_ = {entry->caller, entry->ending};
          entry->caller = pthread_self();
          entry->ending = ending;
          return true;
        }
      }
      platform::futex_wait(keyvals.ended, before, longest_sleep_us);
    }
  }

  // Lets the attribute go; it stays in the set with its present value, or with a new one.
  void let_go() {
    change([](Attribute&) {});
  }
  void replace(void* new_value) {
    change([&](Attribute& entry) { entry.value = new_value; });
  }
  void drop() {
    {
      platform::Guard guard(keyvals.lock);
      if (Attribute* entry = find(set_, order)) unlink(set_, entry);
    }
    wake();
  }

  Error end(void* handle) {
    int id = keyval->id;
    Error rc = call_delete(*keyval, handle, value);
    if (rc == MPI_SUCCESS) return rc;
    let_go();
    return fail(rc, "the delete callback of attribute key %d returned %d", id, rc);
  }

  Keyval* keyval = nullptr;
  void* value = nullptr;
  std::uint64_t order = 0;

 private:
  static constexpr std::int64_t longest_sleep_us = 10000;
  struct Before {
    pthread_t caller;
    bool ending;
  };

  template <class Change>
  void change(Change change) {
    {
      platform::Guard guard(keyvals.lock);
      if (Attribute* entry = find(set_, order)) {
        change(*entry);
        entry->caller = before_.caller;
        entry->ending = before_.ending;
      }
    }
    wake();
  }

  AttributeSet& set_;
  Before before_{};
};

enum class Added : unsigned char { yes, no_memory, other_was_faster };

Added add(AttributeSet& set, Keyval& keyval, void* value) {
  platform::Guard guard(keyvals.lock);
  if (Attribute* entry = find(set, keyval)) {
    if (!ends_here(*entry)) return Added::other_was_faster;
    // The attribute's own delete callback has set it anew; the deletion ends it all the same.
    entry->value = value;
    return Added::yes;
  }
  auto* entry =
      new (std::nothrow) Attribute{&keyval, value, set.first, keyvals.next_order, 0, false};
  if (!entry) return Added::no_memory;
  ++keyvals.next_order;
  set.first = entry;
  ++keyval.users;
  return Added::yes;
}

// Returns the oldest attribute that was set after `last`, with the lock held: the list is in the
// opposite order.
Attribute* next_after(const AttributeSet& set, std::uint64_t last) {
  Attribute* found = nullptr;
  for (Attribute* entry = set.first; entry && entry->order > last; entry = entry->next)
    found = entry;
  return found;
}

}  // namespace

Error create_keyval(Keyval::Kind kind, Keyval::Function copy, Keyval::Function remove,
                    void* extra_state, int* id) {
  platform::Guard guard(keyvals.lock);
  Keyval* keyval = new (std::nothrow) Keyval;
  if (!keyval) return fail(MPI_ERR_NO_MEM, "no memory for an attribute key");
  *keyval = {keyvals.next_id++, kind, false, 0, copy, remove, extra_state, keyvals.first};
  keyvals.first = keyval;
  *id = keyval->id;
  return MPI_SUCCESS;
}

Keyval* find_keyval(Keyval::Kind kind, int id) {
  platform::Guard guard(keyvals.lock);
  for (Keyval* keyval = keyvals.first; keyval; keyval = keyval->next)
    if (keyval->id == id) return keyval->kind == kind ? keyval : nullptr;
  return nullptr;
}

bool free_keyval(Keyval& keyval) {
  platform::Guard guard(keyvals.lock);
  if (keyval.freed) return false;
  keyval.freed = true;
  remove_if_unused(keyval);
  return true;
}

Error set_attribute(AttributeSet& set, void* handle, Keyval& keyval, void* value) {
  for (;;) {
    Held old(set);
    if (old.take([&] { return find_to_end(set, keyval); }, true)) {
      if (Error rc = old.end(handle)) return rc;
      old.replace(value);
      return MPI_SUCCESS;
    }
    Added added = add(set, keyval, value);
    if (added == Added::no_memory) return fail(MPI_ERR_NO_MEM, "no memory for an attribute");
    if (added == Added::yes) return MPI_SUCCESS;
  }
}

bool get_attribute(const AttributeSet& set, const Keyval& keyval, void** value) {
  platform::Guard guard(keyvals.lock);
  const Attribute* entry = find(set, keyval);
  if (entry) *value = entry->value;
  return entry != nullptr;
}

Error delete_attribute(AttributeSet& set, void* handle, Keyval& keyval) {
  Held old(set);
  if (!old.take([&] { return find_to_end(set, keyval); }, true)) {
    note_not_portable(Lenience::unset_attribute);
    return MPI_SUCCESS;
  }
  if (Error rc = old.end(handle)) return rc;
  old.drop();
  return MPI_SUCCESS;
}

Error copy_attributes(const AttributeSet& from, void* handle, AttributeSet& to) {
  std::uint64_t last = 0;
  for (;;) {
    Held source(const_cast<AttributeSet&>(from));
    if (!source.take([&] { return next_after(from, last); }, false)) return MPI_SUCCESS;
    last = source.order;
    void* value = nullptr;
    int flag = 0, id = source.keyval->id;
    Error rc = call_copy(*source.keyval, handle, source.value, &value, &flag);
    if (rc == MPI_SUCCESS && flag)
      rc = set_attribute(to, nullptr, *source.keyval, value);
    else if (rc != MPI_SUCCESS)
      rc = fail(rc, "the copy callback of attribute key %d returned %d", id, rc);
    source.let_go();
    if (rc != MPI_SUCCESS) return rc;
  }
}

Error delete_attributes(AttributeSet& set, void* handle) {
  auto choose = [&] {
    Attribute* entry = set.first;
    while (entry && ends_here(*entry)) entry = entry->next;
    return entry;
  };
  for (;;) {
    Held latest(set);
    if (!latest.take(choose, true)) return MPI_SUCCESS;
    if (Error rc = latest.end(handle)) return rc;
    latest.drop();
  }
}

void forget_attributes(AttributeSet& set) {
  platform::Guard guard(keyvals.lock);
  while (set.first) unlink(set, set.first);
}

bool predefined_attribute(int id, int** value) {
  const auto give = [value](int& kept, bool is_set = true) {
    *value = is_set ? &kept : nullptr;
    return true;
  };
  switch (id) {
    case MPI_TAG_UB:
      return give(predefined.tag_ub);
    case MPI_IO:
      return give(predefined.io);
    case MPI_HOST:
      return give(predefined.host);
    case MPI_WTIME_IS_GLOBAL:
      return give(predefined.wtime_is_global);
    case MPI_LASTUSEDCODE:
      return give(const_cast<int&>(last_used_code()));
    case MPI_UNIVERSE_SIZE:
      return give(predefined.universe_size, predefined.universe_size >= 0);
    case MPI_APPNUM:
      return give(predefined.appnum, predefined.appnum >= 0);
    case fault_tolerance_key:
      predefined.fault_tolerant = transport::is_attached() && transport::job().continues;
      return give(predefined.fault_tolerant);
    default:
      return false;
  }
}

void set_predefined_attributes(int universe_size, int application_number, bool one_clock) {
  predefined.wtime_is_global = one_clock;
  predefined.universe_size = universe_size;
  predefined.appnum = application_number;
}

}  // namespace baton
