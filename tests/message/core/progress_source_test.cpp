// What progress goes on with beside lanes: which sources it asks, and how they are counted.
#include "message/core/progress_source.hpp"
#include "message/core/engine.hpp"

#include <vector>

#include "message/core/progress.hpp"
#include "tests/message/function_source.hpp"
#include "tests/message/ranks.hpp"

namespace baton::message {
namespace {

int advances;
bool something_happened;
constinit FunctionSource by_function{[] {
  ++advances;
  return something_happened;
}};

struct Countdown {
  int rounds;
  Countdown* next = nullptr;
  bool advance() { return --rounds == 0; }
  void finish() {
    ++finished;
    delete this;
  }
  static inline int finished;
};
constinit ListSource<Countdown> countdowns;

// One that has several things under way.
struct Counted final : ProgressSource {
  bool advance() override {
    order.push_back(name);
    return false;
  }
  void more(std::uint32_t number) { add(number); }
  explicit Counted(int of) : name(of) {}
  int name;
  static inline std::vector<int> order;
};

struct sources : protocol {
  sources() {
    advances = 0;
    something_happened = false;
    Counted::order.clear();
  }
  Counted one{1}, two{2}, three{3};
  Ranks ranks{1};  // which ends before the sources do
};

TEST_F(sources, are_asked_only_while_something_is_under_way) {
  ranks.as(0, [] {
    const std::uint32_t before = engine.sources.under_way;
    progress_alone();
    EXPECT_EQ(advances, 0);
    set_active(by_function, true);
    EXPECT_TRUE(by_function.is_active() && engine.sources.any());
    progress_alone();
    EXPECT_EQ(advances, 1);
    set_active(by_function, false);
    EXPECT_FALSE(by_function.is_active());
    EXPECT_EQ(engine.sources.under_way, before);
    progress_alone();
    EXPECT_EQ(advances, 1);
  });
}

TEST_F(sources, that_are_lists_are_active_until_the_last_item_is_over) {
  ranks.as(0, [] {
    Countdown::finished = 0;
    countdowns.add(*new Countdown{2});
    countdowns.add(*new Countdown{1});
    countdowns.add(*new Countdown{3});
    for (const int finished : {1, 2, 3}) {
      EXPECT_TRUE(countdowns.is_active());
      EXPECT_TRUE(countdowns.advance());
      EXPECT_EQ(Countdown::finished, finished);
    }
    EXPECT_FALSE(countdowns.is_active()) << "progress would ask it in every round";
    EXPECT_FALSE(countdowns.advance());
  });
}

TEST_F(sources, that_are_active_or_not_count_once_however_often_they_say_so) {
  ranks.as(0, [] {
    const std::uint32_t before = engine.sources.under_way;
    set_active(by_function, true);
    set_active(by_function, true);
    EXPECT_EQ(engine.sources.under_way, before + 1);
    progress_alone();
    EXPECT_EQ(advances, 1);
    set_active(by_function, false);
    set_active(by_function, false);
    EXPECT_EQ(engine.sources.under_way, before);
  });
}

TEST_F(sources, say_whether_anything_happened) {
  ranks.as(0, [] {
    set_active(by_function, true);
    EXPECT_FALSE(progress_alone());
    something_happened = true;
    EXPECT_TRUE(progress_alone());
    set_active(by_function, false);
    EXPECT_FALSE(progress_alone());
  });
}

TEST_F(sources, are_active_until_the_last_thing_is_over) {
  ranks.as(0, [&] {
    const std::uint32_t before = engine.sources.under_way;
    engine.sources.make_known(one);
    one.more(3);
    EXPECT_EQ(engine.sources.under_way, before + 3);
    one.more(~1u);  // two less
    EXPECT_TRUE(one.is_active());
    one.more(~0u);
    EXPECT_FALSE(one.is_active());
    EXPECT_EQ(engine.sources.under_way, before);
  });
}

TEST_F(sources, are_asked_in_the_order_in_which_they_became_known_once_each) {
  ranks.as(0, [&] {
    for (Counted* source : {&two, &one, &three, &two, &one}) engine.sources.make_known(*source);
    for (Counted* source : {&one, &two, &three}) source->more(1);
    progress_alone();
    EXPECT_EQ(Counted::order, (std::vector<int>{2, 1, 3}));
    two.more(~0u);
    progress_alone();
    EXPECT_EQ(Counted::order, (std::vector<int>{2, 1, 3, 1, 3}));
    for (Counted* source : {&one, &three}) source->more(~0u);
  });
}

TEST_F(sources, that_outlive_an_engine_are_fresh_for_the_next) {
  for (int engines = 0; engines < 2; ++engines) {
    {
      Ranks next(1);
      next.as(0, [&] {
        const std::uint32_t before = engine.sources.under_way;
        set_active(by_function, true);
        EXPECT_EQ(engine.sources.under_way, before + 1);
        progress_alone();
        EXPECT_EQ(advances, engines + 1);
      });
    }
    EXPECT_FALSE(by_function.is_active());
  }
}

}  // namespace
}  // namespace baton::message
