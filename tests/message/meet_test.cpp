// Jobs that meet: processes of two or three jobs of one node, each job with an arena of its own,
// exchange messages through an arena of meeting. Every process is one, as it would be under
// mpiexec.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <vector>

#include "base/settings.hpp"
#include "lockfree/job.hpp"
#include "message/core/announce.hpp"
#include "message/core/contact.hpp"
#include "message/core/loss.hpp"
#include "message/core/meeting.hpp"
#include "message/core/notify.hpp"
#include "message/core/point_to_point.hpp"
#include "message/core/progress.hpp"
#include "message/core/queues.hpp"
#include "message/core/wait.hpp"
#include "message/meet.hpp"
#include "message/node/lease.hpp"
#include "message/node/node_protocol.hpp"
#include "message/start.hpp"
#include "platform/memory_file.hpp"
#include "tests/message/pattern.hpp"
#include "transport/heap.hpp"
#include "transport/move/reach.hpp"
#include "transport/sleep.hpp"

namespace baton::message {
namespace {

constexpr unsigned watchdog_s = 120;
constexpr std::uint32_t context_id = 8;
constexpr std::uint64_t heap_bytes = 64 << 20;

// An arena of meeting (job 0), or the one of a job, whose ranks export memory.
int make_arena(std::uint32_t slots, std::uint32_t cpus, std::uint32_t job) {
  lockfree::WorldPlan world;
  world.job = job;
  lockfree::JobHeader header = lockfree::job_header(slots, cpus, {}, world);
  if (job) header.heap_bytes = heap_bytes;
  const int file =
      platform::make_memory_file("test", header.heaps_offset + slots * header.heap_bytes);
  EXPECT_GE(file, 0);
  EXPECT_EQ(pwrite(file, &header, sizeof header, 0), ssize_t{sizeof header});
  return file;
}

// Says whose slot it is, as the maker of an arena of meeting does.
void enter(int file, std::uint32_t slot, ProcessId id) {
  lockfree::JobHeader header{};
  EXPECT_EQ(pread(file, &header, sizeof header, 0), ssize_t{sizeof header});
  lockfree::RankRow row{};
  row.launcher.place = {-1, 1, -1, -1, -1, -1, -1};
  row.launcher.job = static_cast<std::uint32_t>(id.job);
  row.launcher.process = number_of(id.rank);
  const auto at = header.rows_offset + slot * sizeof row;
  EXPECT_EQ(pwrite(file, &row, sizeof row, static_cast<off_t>(at)), ssize_t{sizeof row});
}

// One of the processes: what it is in its job, and in the union of all jobs.
struct Member {
  ProcessId id;
  std::uint32_t number;  // among all, job by job
  std::vector<ProcessId> all;
  std::vector<Process> processes;  // as this process numbers them

  int own() const { return static_cast<int>(number); }
  int count() const { return static_cast<int>(all.size()); }
  bool is_of_other_job(int rank) const { return all[static_cast<std::size_t>(rank)].job != id.job; }
  Process process(int rank) const { return processes[static_cast<std::size_t>(rank)]; }
  // A communicator of all.
  Context context() const {
    Context context;
    context.send_id = context.receive_id = context_id;
    context.rank = own();
    context.size = count();
    context.processes = processes.data();
    context.queue = queue_for(context_id);
    return context;
  }
};

Datatype& byte() {
  return *datatype::datatypes.find(MPI_BYTE);
}

enum class Partners { own_job, other_jobs };

// Sends a message of each length to every process of the own job or of others, and receives as
// many.
void exchange_messages(const Member& member, Partners partners,
                       const std::vector<std::int64_t>& lengths) {
  const Context context = member.context();
  struct Message {
    Request request;
    std::vector<char> data;
    std::vector<char> expected;
  };
  std::vector<std::unique_ptr<Message>> under_way;
  for (int other = 0; other < member.count(); ++other) {
    if (other == member.own() ||
        member.is_of_other_job(other) != (partners == Partners::other_jobs))
      continue;
    for (int i = 0; i < static_cast<int>(lengths.size()); ++i) {
      const std::int64_t bytes = lengths[static_cast<std::size_t>(i)];
      auto in = std::make_unique<Message>();
      in->expected = pattern(bytes, other * 31 + i);
      in->data.resize(static_cast<std::size_t>(bytes));
      begin_receive(context, in->data.data(), bytes, byte(), other, i, in->request);
      auto out = std::make_unique<Message>();
      out->data = pattern(bytes, member.own() * 31 + i);
      begin_send(context, out->data.data(), bytes, byte(), other, i, false, out->request);
      under_way.push_back(std::move(in));
      under_way.push_back(std::move(out));
    }
  }
  for (auto& message : under_way) {
    wait_for(message->request);
    EXPECT_EQ(message->request.error, MPI_SUCCESS);
    if (!message->expected.empty()) {
      EXPECT_EQ(message->data, message->expected);
    }
  }
}

void exchange_with_others(const Member& member, const std::vector<std::int64_t>& lengths) {
  exchange_messages(member, Partners::other_jobs, lengths);
}

struct jobs_that_meet : testing::Test {
  jobs_that_meet() { settings = Settings{}; }
  ~jobs_that_meet() override { settings = Settings{}; }

  struct Meeting {
    int file;
    std::vector<std::uint32_t> jobs;  // by their numbers
  };
  // So many processes that use so many CPUs; `slots` of a meeting may be more than its processes.
  std::uint32_t cpus = 64;
  std::uint32_t slots = 0;
  bool know_their_own_first = false;  // ranks have exchanged messages before their jobs meet

  // Starts jobs of these sizes, numbered from 1 on, of which the listed ones meet; each process
  // does its part, and must succeed.
  void run(const std::vector<std::uint32_t>& sizes, const std::vector<Meeting>& meetings,
           const std::function<void(const Member&)>& part) {
    std::vector<pid_t> children;
    std::vector<ProcessId> all;
    std::vector<int> files;
    for (std::uint32_t job = 1; job <= sizes.size(); ++job) {
      files.push_back(make_arena(sizes[job - 1], cpus, job));
      for (std::uint32_t rank = 0; rank < sizes[job - 1]; ++rank)
        all.push_back({Job{job}, WorldRank{rank}});
    }
    for (const Meeting& meeting : meetings) enter_all(meeting, all);
    for (std::uint32_t number = 0; number < all.size(); ++number) {
      const pid_t child = fork();
      ASSERT_GE(child, 0);
      if (child == 0) be(Member{all[number], number, all, {}}, files, meetings, part);
      children.push_back(child);
    }
    for (const pid_t child : children) {
      int status = 0;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
    }
    for (const int file : files) close(file);
    for (const Meeting& meeting : meetings) close(meeting.file);
  }
  // Two jobs in one meeting.
  void run(std::uint32_t one, std::uint32_t other, const std::function<void(const Member&)>& part) {
    run({one, other}, {{make_arena(std::max(slots, one + other), cpus, 0), {1, 2}}}, part);
  }

 private:
  static bool takes_part(const Meeting& meeting, ProcessId id) {
    return std::find(meeting.jobs.begin(), meeting.jobs.end(),
                     static_cast<std::uint32_t>(id.job)) != meeting.jobs.end();
  }
  static void enter_all(const Meeting& meeting, const std::vector<ProcessId>& all) {
    lockfree::JobHeader header{};
    EXPECT_EQ(pread(meeting.file, &header, sizeof header, 0), ssize_t{sizeof header});
    std::uint32_t slot = 0;
    for (const ProcessId id : all)
      if (takes_part(meeting, id)) enter(meeting.file, slot++, id);
    // Slots for processes that never come.
    for (std::uint32_t rank = 0; slot < header.ranks; ++rank)
      enter(meeting.file, slot++, {Job{99}, WorldRank{rank}});
  }
  static std::uint32_t slot_in(const Meeting& meeting, const Member& member) {
    std::uint32_t slot = 0;
    for (std::uint32_t i = 0; i < member.number; ++i) slot += takes_part(meeting, member.all[i]);
    return slot;
  }
  static void number(Member& member) {
    member.processes.clear();
    for (const ProcessId id : member.all) {
      Process met{};
      const bool known = id.job == member.id.job || find_met(id, &met);
      member.processes.push_back(known ? process_of(id) : engine.self);  // else not to be sent to
    }
  }
  [[noreturn]] void be(Member member, const std::vector<int>& files,
                       const std::vector<Meeting>& meetings,
                       const std::function<void(const Member&)>& part) {
    alarm(watchdog_s);
    datatype::make_predefined_datatypes();
    const int job = files[static_cast<std::size_t>(member.id.job) - 1];
    const auto rank = static_cast<LocalRank>(number_of(member.id.rank));
    EXPECT_EQ(transport::attach(dup(job), rank), MPI_SUCCESS) << last_explanation().text;
    transport::let_others_copy();
    EXPECT_EQ(start_messages(), MPI_SUCCESS) << last_explanation().text;
    if (know_their_own_first) {
      number(member);
      exchange_messages(member, Partners::own_job, {8, 100});
    }
    for (const Meeting& meeting : meetings)
      if (takes_part(meeting, member.id)) {
        EXPECT_EQ(meet(dup(meeting.file), slot_in(meeting, member)), MPI_SUCCESS)
            << last_explanation().text;
      }
    number(member);
    part(member);
    wait_until([] { return all_have_left(); }, [] { return WaitSubject{}; });
    stop_messages();
    transport::detach_arena();
    _exit(HasFailure() ? 1 : 0);
  }
};

const std::vector<std::int64_t> lengths = {0,    1,     8,     48,     200,     1024,   4096,
                                           8192, 20000, 65536, 300000, 1 << 20, 5 << 20};

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
    EXPECT_EQ(request.error, MPI_ERR_OTHER);
    // It means nothing to the other ranks of this job.
    EXPECT_EQ(transport::job().lost_process, 0u);
  });
}

TEST_F(jobs_that_meet, are_refused_a_slot_that_is_taken_or_a_second_meeting) {
  const int again = make_arena(2, cpus, 0);
  enter(again, 0, {Job{1}, WorldRank{0}});
  enter(again, 1, {Job{2}, WorldRank{0}});
  const int slotted = make_arena(2, cpus, 0);
  enter(slotted, 0, {Job{1}, WorldRank{0}});
  enter(slotted, 1, {Job{3}, WorldRank{0}});
  run(1, 1, [&](const Member& member) {
    exchange_with_others(member, {8});
    EXPECT_EQ(meet(dup(again), member.number), MPI_ERR_OTHER);
    EXPECT_STREQ(last_explanation().text, member.own() == 0 ? "rank 0 of job 2 was met before"
                                                            : "rank 0 of job 1 was met before");
    if (member.own() == 0) {
      EXPECT_EQ(meet(dup(slotted), 0), MPI_SUCCESS) << last_explanation().text;
      EXPECT_EQ(meet(dup(slotted), 0), MPI_ERR_OTHER);
      EXPECT_NE(std::string(last_explanation().text).find("slot 0 of the arena of meeting"),
                std::string::npos);
      EXPECT_EQ(meet(dup(slotted), 2), MPI_ERR_OTHER);  // there is no such slot
    }
    const int no_arena = platform::make_memory_file("test", 1 << 20);
    EXPECT_EQ(meet(no_arena, 0), MPI_ERR_OTHER);
    // What is refused leaves the others as they were.
    exchange_with_others(member, lengths);
  });
  close(again);
  close(slotted);
}

}  // namespace
}  // namespace baton::message
