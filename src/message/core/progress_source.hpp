// Sources of progress: protocols, collectives and windows, which the progress loop advances beside
// lanes and queues. A source registers when something is first under way. Nothing under way
// anywhere costs the loop one branch.
#pragma once

#include <atomic>
#include <cstdint>

#include "platform/lock.hpp"
#include "transport/sleep.hpp"

namespace baton::message {

// The events that a sleeper waits for beside its doorbell.
struct SleepPlan {
  explicit SleepPlan(std::int64_t bound) : bound_us(bound) {}
  pollfd descriptors[transport::sleep_descriptors_max];
  int count = 0;
  std::int64_t bound_us;  // whoever cannot tell when it has something lowers this
  bool sleeps = true;     // false: something is there
};

class ProgressSource;
void set_active(ProgressSource& source, bool active);

class ProgressSource {
 public:
  // Goes on with what is under way; returns whether anything happened. Called under the progress
  // lock.
  virtual bool advance() = 0;
  // Returns whether it goes on only while this process makes progress. Asked while something is
  // under way.
  virtual bool needs_progress() const { return true; }
  // Returns whether it waits for space that nobody tells of: a sleeper looks again soon.
  virtual bool waits_for_space() const { return false; }
  // A thread that waits calls these before it sleeps, and when it has slept for so long.
  virtual void plan_sleep(SleepPlan&) {}
  virtual void has_slept(const SleepPlan&, std::int64_t slept_ns) { (void)slept_ns; }

  bool is_active() const { return platform::load_shared(under_way_) != 0; }

 protected:
  ~ProgressSource() = default;
  // Counts so much more under way, or less, in a source that the engine knows. Any thread may call
  // it.
  void add(std::uint32_t number);

 private:
  friend struct ProgressSources;
  friend void set_active(ProgressSource& source, bool active);
  std::uint32_t under_way_ = 0;
  bool known_ = false;  // to the engine
  ProgressSource* next_ = nullptr;
};

// A source of things that are under way in a list, each until it is over. An item has `next`,
// `bool advance()`, which returns whether it is over, and `void finish()`, which deletes it.
template <class Item>
class ListSource final : public ProgressSource {
 public:
  // Any thread.
  void add(Item& item) {
    platform::Guard guard(lock_);
    item.next = first_;
    first_ = &item;
    set_active(*this, true);
  }
  bool advance() override {
    platform::Guard guard(lock_);
    bool any = false;
    for (Item** link = &first_; *link;) {
      Item* item = *link;
      if (!item->advance()) {
        link = &item->next;
        continue;
      }
      *link = item->next;
      item->finish();
      any = true;
    }
    set_active(*this, first_ != nullptr);
    return any;
  }

 private:
  Item* first_ = nullptr;
  platform::Lock lock_;
};

// The sources of an engine. They live as long as it does.
struct ProgressSources {
  ProgressSource* first = nullptr;
  std::uint32_t under_way = 0;  // of all
  platform::Lock lock;          // of becoming known, and of set_active

  bool any() const { return platform::load_shared(under_way) != 0; }
  // Calls act(source) for each source that has something under way.
  template <class Do>
  void each(Do&& act) const {
    for (ProgressSource* source = after(first); source; source = after(source->next_))
      if (source->is_active()) act(*source);
  }
  void make_known(ProgressSource& source);
  void forget();

 private:
  static ProgressSource* after(ProgressSource* const& link) {
    // ORDER sources.link: acquire here, release in make_known; the source is complete.
    return std::atomic_ref(const_cast<ProgressSource*&>(link)).load(std::memory_order_acquire);
  }
};

}  // namespace baton::message
