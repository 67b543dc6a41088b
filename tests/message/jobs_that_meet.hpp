// A fixture: processes of two or three jobs of one node, each job with an arena of its own, and
// arenas of meeting. Every process is one, as it would be under mpiexec.
#pragma once

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

inline constexpr unsigned watchdog_s = 120;
inline constexpr std::uint32_t context_id = 8;
inline constexpr std::uint64_t heap_bytes = 64 << 20;

// An arena of meeting (job 0), or the one of a job, whose ranks export memory.
inline int make_arena(std::uint32_t slots, std::uint32_t cpus, std::uint32_t job) {
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
inline void enter(int file, std::uint32_t slot, ProcessId id) {
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

inline Datatype& byte() {
  return *datatype::datatypes.find(MPI_BYTE);
}

enum class Partners { own_job, other_jobs };

// Sends a message of each length to every process of the own job or of others, and receives as
// many.
inline void exchange_messages(const Member& member, Partners partners,
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

inline void exchange_with_others(const Member& member, const std::vector<std::int64_t>& lengths) {
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
        message::Meeting* held = nullptr;  // until the end
        EXPECT_EQ(meet(dup(meeting.file), slot_in(meeting, member), &held), MPI_SUCCESS)
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

inline const std::vector<std::int64_t> lengths = {0,    1,     8,     48,     200,     1024,   4096,
                                                  8192, 20000, 65536, 300000, 1 << 20, 5 << 20};

}  // namespace baton::message
