// Jobs that have met meet again, and leave meetings that nobody needs any more.
#include "tests/message/jobs_that_meet.hpp"

namespace baton::message {
namespace {

// Whoever was met keeps its number in further meetings.
TEST_F(jobs_that_meet, know_each_other_when_they_meet_again) {
  const int again = make_arena(2, cpus, 0);
  enter(again, 0, {Job{1}, WorldRank{0}});
  enter(again, 1, {Job{2}, WorldRank{0}});
  run(1, 1, [&](const Member& member) {
    exchange_with_others(member, {8});
    message::Meeting* held = nullptr;
    EXPECT_EQ(meet(dup(again), member.number, &held), MPI_SUCCESS) << last_explanation().text;
    EXPECT_EQ(engine.process_count, 2u);
    EXPECT_EQ(process_of(member.all[1 - member.number]), member.process(1 - member.own()));
    exchange_with_others(member, lengths);
    let_go(*held);
    leave_unused_meetings();
    exchange_with_others(member, lengths);
  });
  close(again);
}

TEST_F(jobs_that_meet, leave_what_nobody_holds_and_meet_anew) {
  constexpr int times = 20;
  std::vector<int> arenas;
  for (int i = 0; i < times; ++i) {
    arenas.push_back(make_arena(2, cpus, 0));
    enter(arenas.back(), 0, {Job{1}, WorldRank{0}});
    enter(arenas.back(), 1, {Job{3}, WorldRank{0}});
  }
  // The second job takes part as a third one, which the first has not met.
  run({1, 1, 1}, {{make_arena(2, cpus, 0), {1, 2}}}, [&](Member member) {
    if (member.id.job == Job{2}) return;
    const std::uint32_t own = member.id.job == Job{1} ? 0 : 1;
    member.number = own;
    member.all = {{Job{1}, WorldRank{0}}, {Job{3}, WorldRank{0}}};
    const std::uint32_t known_before = engine.process_count;
    for (const int arena : arenas) {
      message::Meeting* held = nullptr;
      EXPECT_EQ(meet(dup(arena), own, &held), MPI_SUCCESS) << last_explanation().text;
      EXPECT_EQ(engine.process_count, known_before + 1);
      Process other{};
      EXPECT_TRUE(hold_known(member.all[1 - own], &other));
      let_go(*held);
      member.processes = {engine.self, other};
      if (own == 1) std::swap(member.processes[0], member.processes[1]);
      leave_unused_meetings();  // is held, so nothing is left
      exchange_with_others(member, lengths);
      wait_until([] { return all_have_left(); }, [] { return WaitSubject{}; });
      let_go_met(other);
      leave_unused_meetings();
      EXPECT_EQ(engine.process_count, known_before);
      EXPECT_FALSE(hold_known(member.all[1 - own], &other));
    }
  });
  for (const int arena : arenas) close(arena);
}

}  // namespace
}  // namespace baton::message
