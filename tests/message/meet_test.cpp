// Jobs that meet exchange messages through an arena of meeting.
#include "base/failure_class.hpp"
#include "message/core/unexpected.hpp"
#include "tests/message/jobs_that_meet.hpp"

namespace baton::message {
namespace {

TEST_F(jobs_that_meet, exchange_messages_of_all_lengths) {
  run(2, 2, [](const Member& member) {
    for (int round = 0; round < 5; ++round) exchange_with_others(member, lengths);
  });
}

TEST_F(jobs_that_meet, exchange_them_without_the_kernels_copies) {
  settings.cma = 0;
  run(1, 2, [](const Member& member) {
    for (int round = 0; round < 5; ++round) exchange_with_others(member, lengths);
  });
}

TEST_F(jobs_that_meet, exchange_them_through_shared_rings) {
  slots = 100;  // too many for a ring a pair
  run(2, 1, [](const Member& member) {
    EXPECT_TRUE(transport::rings_are_shared(slot_of(member.process(member.own() == 2 ? 0 : 2))));
    for (int round = 0; round < 20; ++round) exchange_with_others(member, lengths);
  });
}

// More messages than are taken in at a time.
const std::vector<std::int64_t> many_short_ones(100, 8);

TEST_F(jobs_that_meet, exchange_them_where_doorbells_are_trusted) {
  run(3, 18, [](const Member& member) {
    for (int round = 0; round < 3; ++round) exchange_with_others(member, {8, 4096, 100000});
    exchange_with_others(member, many_short_ones);
    EXPECT_EQ(engine.doorbells, member.id.job == Job{1});
  });
}

TEST_F(jobs_that_meet, exchange_them_where_doorbells_were_trusted_before) {
  know_their_own_first = true;
  run(1, 20, [](const Member& member) {
    EXPECT_EQ(engine.doorbells, member.id.job == Job{2});
    for (int round = 0; round < 3; ++round) exchange_with_others(member, {8, 4096, 100000});
    exchange_with_others(member, many_short_ones);
  });
}

// A rank must not take memory for mapped that only its own job can map.
TEST_F(jobs_that_meet, exchange_what_lies_in_exported_memory) {
  run(1, 1, [](const Member& member) {
    constexpr std::size_t bytes = 1 << 20;
    const auto data = pattern(bytes, member.own());
    void *out = nullptr, *in = nullptr;
    for (void** memory : {&out, &in})
      ASSERT_EQ(transport::exported_heap.allocate(bytes, 64, nullptr, true, memory), MPI_SUCCESS);
    ASSERT_TRUE(transport::exported_heap.contains(out));
    const int other = 1 - member.own();
    EXPECT_EQ(transport::reach_by(slot_of(engine.self), out), transport::Reach::mapped);
    EXPECT_NE(transport::reach_by(slot_of(member.process(other)), out), transport::Reach::mapped);
    const Context context = member.context();
    std::copy(data.begin(), data.end(), static_cast<char*>(out));
    for (int round = 0; round < 20; ++round)
      ASSERT_EQ(exchange(context, out, bytes, byte(), other, round, in, bytes, byte(), other, round,
                         MPI_STATUS_IGNORE),
                MPI_SUCCESS);
    const auto expected = pattern(bytes, other);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), static_cast<char*>(in)));
    transport::exported_heap.release(out);
    transport::exported_heap.release(in);
  });
}

// A rank gets the less of another's staging the more slots there are in their arena; how many ranks
// its own job has does not matter.
TEST_F(jobs_that_meet, share_staging_among_all_slots) {
  const auto leased_chunks = [](const Member& member) {
    exchange_with_others(member, {8});  // the other is there
    NodePeer& peer = node_peer(member.process(1 - member.own()));
    get_lease(peer);
    return peer.lease.buffer.count();
  };
  run(1, 1, [&](const Member& member) {
    EXPECT_EQ(leased_chunks(member), lockfree::StagingBuffer::chunks_max);
  });
  slots = 8;
  run(1, 1, [&](const Member& member) {
    const int chunks = leased_chunks(member);
    EXPECT_GT(chunks, 0);
    EXPECT_LE(7 * chunks, lockfree::chunks_per_rank * 3 / 4);
  });
}

// The sleep of the one who waits is ended by the one who sends, in its own job as in the other.
TEST_F(jobs_that_meet, wake_each_other) {
  settings.spin_count = settings.yield_count = 0;
  run(2, 1, [](const Member& member) {
    constexpr int rounds = 20, pause_us = 20000;
    const Context context = member.context();
    char token = 0;
    // From rank to rank, and round again: each waits most of the time.
    const int before = (member.own() + member.count() - 1) % member.count();
    const int behind = (member.own() + 1) % member.count();
    for (int round = 0; round < rounds; ++round) {
      if (member.own() > 0 || round > 0) {
        ASSERT_EQ(receive(context, &token, 1, byte(), before, 5, MPI_STATUS_IGNORE), MPI_SUCCESS);
      }
      usleep(pause_us);
      ASSERT_EQ(send(context, &token, 1, byte(), behind, 5), MPI_SUCCESS);
    }
    if (member.own() == 0) {
      ASSERT_EQ(receive(context, &token, 1, byte(), before, 5, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    EXPECT_GT(engine.counters.sleeps, 0u);
    EXPECT_GT(engine.counters.wakeups, 0u);
  });
}

// One that has words in two arenas is woken through either, however long it would sleep.
TEST_F(jobs_that_meet, end_a_sleep_without_bound) {
  run(1, 2, [](const Member& member) {
    constexpr int sleeper = 1, stranger = 0, colleague = 2;
    constexpr std::int64_t bound_us = 1000LL * 1000 * watchdog_s * 2;
    char token = 0;
    const Context context = member.context();
    for (const int waker : {stranger, colleague}) {
      if (member.own() == sleeper) {
        announce(lockfree::wake_asleep);
        order_against_senders();
        transport::sleep_until_woken(lockfree::wake_asleep, bound_us, nullptr, 0);
        EXPECT_FALSE(is_announced(lockfree::wake_asleep));
        retract(lockfree::wake_asleep);
      } else if (member.own() == waker) {
        const transport::Slot slot = slot_of(member.process(sleeper));
        while (!lockfree::wants_attention(slot.doorbell())) usleep(1000);
        usleep(50000);  // by now it most likely sleeps
        EXPECT_TRUE(wake_rank(slot));
      }
      // Nobody but the waker may wake it: the others wait until it says that it is awake.
      for (const int other : {stranger, colleague}) {
        if (member.own() == sleeper) {
          ASSERT_EQ(send(context, &token, 1, byte(), other, waker), MPI_SUCCESS);
        } else if (member.own() == other) {
          ASSERT_EQ(receive(context, &token, 1, byte(), sleeper, waker, MPI_STATUS_IGNORE),
                    MPI_SUCCESS);
        }
      }
    }
  });
}

TEST_F(jobs_that_meet, are_told_apart_where_a_job_meets_two) {
  run({1, 2, 1}, {{make_arena(3, cpus, 0), {1, 2}}, {make_arena(2, cpus, 0), {1, 3}}},
      [](const Member& member) {
        if (member.id.job == Job{1}) return exchange_with_others(member, lengths);
        // The second and the third have met the first alone.
        Member of_two = member;
        for (std::size_t i = 1; i < member.all.size(); ++i) of_two.all[i].job = member.id.job;
        exchange_with_others(of_two, lengths);
      });
}

TEST_F(jobs_that_meet, know_each_other_by_what_all_know) {
  run(2, 2, [](const Member& member) {
    EXPECT_EQ(engine.process_count, 4u);
    for (int rank = 0; rank < member.count(); ++rank) {
      const ProcessId id = member.all[static_cast<std::size_t>(rank)];
      EXPECT_EQ(process_of(id), member.process(rank));
      EXPECT_EQ(id_of(member.process(rank)), id);
      EXPECT_EQ(world_rank(member.process(rank)), number_of(id.rank));
      EXPECT_EQ(is_of_own_job(member.process(rank)), id.job == member.id.job);
      // All are here, each in the arena that it shares with this process.
      EXPECT_NE(slot_of(member.process(rank)).arena, nullptr);
      EXPECT_EQ(slot_of(member.process(rank)).arena == slot_of(engine.self).arena,
                id.job == member.id.job);
      EXPECT_NE(class_of(member.process(rank)), PeerClass::between_nodes);
    }
    Process nobody{};
    EXPECT_FALSE(find_met({Job{7}, WorldRank{0}}, &nobody));
    exchange_with_others(member, {8});  // nobody leaves before
  });
}

// The numbers of those who have left are given again, also where others have come in between.
TEST_F(jobs_that_meet, use_up_no_numbers) {
  run({1}, {}, [](const Member&) {
    constexpr std::uint32_t others = 2;
    message::Meeting* last = nullptr;
    for (std::uint32_t i = 0; i < 20; ++i) {
      const int file = make_arena(1 + others, 64, 0);
      enter(file, 0, {Job{1}, WorldRank{0}});
      for (std::uint32_t k = 0; k < others; ++k) enter(file, 1 + k, {Job{100 + i}, WorldRank{k}});
      message::Meeting* held = nullptr;
      ASSERT_EQ(meet(file, 0, &held), MPI_SUCCESS) << last_explanation().text;
      if (last) let_go(*last);
      leave_unused_meetings();
      last = held;
      Process found{};
      ASSERT_TRUE(find_met({Job{100 + i}, WorldRank{1}}, &found));
      EXPECT_EQ(id_of(found), (ProcessId{Job{100 + i}, WorldRank{1}}));
      EXPECT_LE(engine.process_count, 1 + 2 * others);
    }
    let_go(*last);
    leave_unused_meetings();
    EXPECT_EQ(engine.process_count, 1u);
  });
}

// What one has sent that nobody has received is forgotten with it.
TEST_F(jobs_that_meet, leave_no_message) {
  run(1, 1, [](const Member& member) {
    exchange_with_others(member, {8});
    const Context context = member.context();
    const int other = 1 - member.own();
    char data[600] = {};
    ASSERT_EQ(send(context, data, sizeof data, byte(), other, 7), MPI_SUCCESS);
    exchange_with_others(member, {8});  // it has come
    EXPECT_NE(find_unexpected(*context.queue, other, 7), nullptr);
    let_go(meeting_of(member.process(other)));
    while (engine.meetings) leave_unused_meetings();
    EXPECT_EQ(find_unexpected(*context.queue, other, 7), nullptr);
  });
}

// A loss is of any process: who waits for one of another job hears of it.
TEST_F(jobs_that_meet, hear_of_the_loss_of_one_of_the_other) {
  run(1, 1, [](const Member& member) {
    static CommunicatorView view;
    static const Member* here;
    here = &member;
    communicator_view = {[](const void*, std::int32_t rank) { return here->process(rank); },
                         [](const void*, Process) { return true; }};
    exchange_with_others(member, {8});
    Context context = member.context();
    context.owner = &view;
    char data[8];
    Request request;
    begin_receive(context, data, sizeof data, byte(), 1 - member.own(), 3, request);
    EXPECT_TRUE(note_loss(member.process(1 - member.own()), ESRCH));
    end_what_is_lost();
    EXPECT_TRUE(is_complete(request));
    EXPECT_EQ(request.error, error_process_failed);
    // It means nothing to the other ranks of this job.
    EXPECT_EQ(transport::job().lost_process, 0u);
  });
}

TEST_F(jobs_that_meet, are_refused_a_slot_that_is_taken) {
  const int slotted = make_arena(2, cpus, 0);
  enter(slotted, 0, {Job{1}, WorldRank{0}});
  enter(slotted, 1, {Job{3}, WorldRank{0}});
  run(1, 1, [&](const Member& member) {
    exchange_with_others(member, {8});
    message::Meeting* held = nullptr;
    if (member.own() == 0) {
      EXPECT_EQ(meet(dup(slotted), 0, &held), MPI_SUCCESS) << last_explanation().text;
      EXPECT_EQ(meet(dup(slotted), 0, &held), MPI_ERR_OTHER);
      EXPECT_NE(std::string(last_explanation().text).find("slot 0 of the arena of meeting"),
                std::string::npos);
      EXPECT_EQ(meet(dup(slotted), 2, &held), MPI_ERR_OTHER);  // there is no such slot
    }
    const int no_arena = platform::make_memory_file("test", 1 << 20);
    EXPECT_EQ(meet(no_arena, 0, &held), MPI_ERR_OTHER);
    // What is refused leaves the others as they were.
    exchange_with_others(member, lengths);
  });
  close(slotted);
}

// One of the first job has offered a part of a collective call to one of two others, when the other
// one of these is lost.
TEST_F(jobs_that_meet, end_calls_that_need_all_while_several_threads_may_look_for_them) {
  run(1, 2, [](const Member& member) {
    exchange_with_others(member, {8});
    if (member.own() != 0) return;
    communicator_view.has = [](const void*, Process) { return true; };
    Context context = member.context();
    context.send_id += static_cast<std::uint32_t>(Plane::collective);
    context.owner = &context;  // stands for the communicator
    const auto data = pattern(300000);
    Request sending;
    begin_send(context, data.data(), std::ssize(data), byte(), 2, 1, true, sending);
    EXPECT_EQ(sending.stage, Stage::offered);
    platform::threads_multiple = true;
    {
      platform::Guard leading(engine.progress_lock);
      EXPECT_TRUE(note_loss(member.process(1), ESRCH));
      EXPECT_TRUE(fail_lost_sends());
    }
    EXPECT_TRUE(is_complete(sending));
    EXPECT_EQ(sending.error, error_process_failed);
    platform::threads_multiple = false;
  });
}

}  // namespace
}  // namespace baton::message
