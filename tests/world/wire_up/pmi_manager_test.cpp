#include "world/wire_up/pmi_manager.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <random>
#include <string>
#include <thread>

namespace {

using namespace baton::world;

// A process manager of one rank, played in a thread. `spoil` may change each answer before it is
// sent; an empty one ends the connection.
class PlayedManager {
 public:
  using Spoil = std::string (*)(int answer, const std::string& text);

  explicit PlayedManager(PmiDialect dialect, Spoil spoil = nullptr, int value_length = 1024)
      : dialect_(dialect), spoil_(spoil), value_length_(value_length) {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    own_ = ends[0];
    number_ = std::to_string(ends[1]);
    thread_ = std::thread([this] { serve(); });
  }
  ~PlayedManager() {
    shutdown(own_, SHUT_RDWR);
    thread_.join();
    close(own_);
  }
  ManagerVariables variables() const {
    return {.pmi_fd = number_.c_str(),
            .pmi_rank = "0",
            .pmi_size = "1",
            .pmi_job = dialect_ == PmiDialect::pmi2 ? "7.0" : nullptr,
            .fd_is_socket = true};
  }
  int aborts = 0;

 private:
  void serve() {
    std::string held;
    PmiDialect dialect = PmiDialect::pmi1;  // of the first line
    for (int answers = 0;; ++answers) {
      std::string_view text;
      std::size_t used;
      while (take_pmi_message(dialect, held, &text, &used) != PmiArrival::whole) {
        char bytes[512];
        const ssize_t more = read(own_, bytes, sizeof bytes);
        if (more <= 0) return;
        held.append(bytes, static_cast<std::size_t>(more));
      }
      std::string answer = answer_to({dialect, text});
      held.erase(0, used);
      if (dialect_ == PmiDialect::pmi2 && answers > 0) {
        char length[8];
        std::snprintf(length, sizeof length, "%6zu", answer.size());
        answer = length + answer;
      } else {
        answer += '\n';
      }
      dialect = dialect_;
      if (spoil_) answer = spoil_(answers, answer);
      if (answer.empty()) {
        shutdown(own_, SHUT_RDWR);
        return;
      }
      for (char letter : answer)  // in pieces
        if (send(own_, &letter, 1, MSG_NOSIGNAL) != 1) return;
    }
  }

  std::string answer_to(const PmiReply& asked) {
    std::string_view key, value;
    asked.find("key", &key);
    const std::string command(asked.command()), name(key);
    if (command == "init")
      return "cmd=response_to_init pmi_version=" +
             std::string(dialect_ == PmiDialect::pmi1 ? "1" : "2") + " rc=0";
    if (command == "get_maxes")
      return "cmd=maxes keylen_max=64 vallen_max=" + std::to_string(value_length_);
    if (command == "get_my_kvsname") return "cmd=my_kvsname kvsname=kvs_7";
    if (command == "fullinit") return "cmd=fullinit-response;rank=0;size=1;rc=0;";
    if (command == "job-getid") return "cmd=job-getid-response;jobid=7.0;rc=0;";
    if (command == "info-getjobattr")
      return "cmd=info-getjobattr-response;found=TRUE;value=(vector,(0,1,1));rc=0;";
    if (command == "barrier_in") return "cmd=barrier_out";
    if (command == "kvs-fence") return "cmd=kvs-fence-response;rc=0;";
    if (command == "finalize")
      return dialect_ == PmiDialect::pmi1 ? "cmd=finalize_ack" : "cmd=finalize-response;rc=0;";
    if (command == "put" || command == "kvs-put") {
      EXPECT_TRUE(asked.find("value", &value));
      EXPECT_LT(value.size(), static_cast<std::size_t>(value_length_));
      store_[name] = value;
      return command == "put" ? "cmd=put_result rc=0" : "cmd=kvs-put-response;rc=0;";
    }
    if (command == "get" && name == "PMI_process_mapping")
      return "cmd=get_result rc=-1 msg=unknown";
    if (command == "get") return "cmd=get_result rc=0 value=" + store_[name];
    if (command == "kvs-get")
      return "cmd=kvs-get-response;found=TRUE;value=" + store_[name] + ";rc=0;";
    return "cmd=unknown";
  }

  PmiDialect dialect_;
  Spoil spoil_;
  int value_length_, own_ = -1;
  std::string number_;
  std::map<std::string, std::string> store_;
  std::thread thread_;
};

constexpr Patience little{.answer_ms = 200, .fence_ms = 200};
constexpr PmiDialect both[] = {PmiDialect::pmi1, PmiDialect::pmi2};

// All that a start does; the first error.
baton::Error go_through(PlayedManager& played, PmiDialect dialect) {
  PmiManager manager(dialect, little);
  unsigned char record[5000], again[5000];  // several values
  for (std::size_t i = 0; i < sizeof record; ++i) record[i] = static_cast<unsigned char>(i * 11);
  if (baton::Error error = manager.start(played.variables())) return error;
  if (baton::Error error = manager.publish(record, sizeof record)) return error;
  if (baton::Error error = manager.fence()) return error;
  if (baton::Error error = manager.read(0, again, sizeof again)) return error;
  EXPECT_EQ(std::memcmp(record, again, sizeof record), 0);
  EXPECT_EQ(manager.rank(), 0);
  EXPECT_EQ(manager.size(), 1);
  return manager.finalize();
}

std::string explanation() {
  return baton::last_explanation().text;
}

TEST(pmi_manager, publishes_and_reads_a_record) {
  for (PmiDialect dialect : both) {
    PlayedManager played(dialect);
    EXPECT_EQ(go_through(played, dialect), MPI_SUCCESS) << explanation();
  }
}

TEST(pmi_manager, divides_a_record_where_values_are_short) {
  PlayedManager played(PmiDialect::pmi1, nullptr, 100);
  EXPECT_EQ(go_through(played, PmiDialect::pmi1), MPI_SUCCESS) << explanation();
}

TEST(pmi_manager, says_when_there_is_no_answer) {
  for (PmiDialect dialect : both) {
    PlayedManager played(dialect, [](int answer, const std::string& text) {
      return answer < 4 ? text : std::string("c");
    });
    EXPECT_EQ(go_through(played, dialect), MPI_ERR_OTHER);
    EXPECT_NE(explanation().find("did not answer within"), std::string::npos) << explanation();
  }
}

TEST(pmi_manager, says_when_the_connection_ends) {
  for (PmiDialect dialect : both) {
    PlayedManager played(dialect, [](int answer, const std::string& text) {
      return answer < 4 ? text : std::string();
    });
    EXPECT_EQ(go_through(played, dialect), MPI_ERR_OTHER);
    EXPECT_NE(explanation().find("still running"), std::string::npos) << explanation();
  }
}

TEST(pmi_manager, says_what_it_got_instead_of_an_answer) {
  PlayedManager played(PmiDialect::pmi1,
                       [](int, const std::string&) { return std::string("HTTP/1.1 \x01 400\n"); });
  EXPECT_EQ(go_through(played, PmiDialect::pmi1), MPI_ERR_OTHER);
  EXPECT_NE(explanation().find("HTTP/1.1 ? 400"), std::string::npos) << explanation();
}

TEST(pmi_manager, refuses_a_descriptor_that_is_no_connection) {
  PmiManager manager(PmiDialect::pmi1, little);
  EXPECT_EQ(manager.start({.pmi_fd = "77", .pmi_rank = "0", .pmi_size = "1"}), MPI_ERR_OTHER);
  EXPECT_NE(explanation().find("PMI_FD is \"77\""), std::string::npos);
}

TEST(pmi_manager, refuses_a_place_that_is_none) {
  for (auto [rank, size] : {std::pair{"x", "2"}, std::pair{"0", ""}, std::pair{"2", "2"},
                            std::pair{"-1", "2"}, std::pair{"0", "0"}}) {
    PlayedManager played(PmiDialect::pmi1);
    ManagerVariables variables = played.variables();
    variables.pmi_rank = rank;
    variables.pmi_size = size;
    PmiManager manager(PmiDialect::pmi1, little);
    EXPECT_EQ(manager.start(variables), MPI_ERR_OTHER) << rank << " of " << size;
  }
}

TEST(pmi_manager, refuses_a_port_where_nobody_listens) {
  for (const char* port : {"127.0.0.1:1", "127.0.0.1", ":1", "127.0.0.1:"}) {
    PmiManager manager(PmiDialect::pmi1, little);
    EXPECT_EQ(manager.start({.pmi_port = port, .pmi_id = "0"}), MPI_ERR_OTHER) << port;
  }
}

// Whatever a manager answers: an error or success, in time, and nothing that a sanitizer minds.
TEST(pmi_manager, survives_answers_that_were_changed_anywhere) {
  static std::mt19937 random(5);
  for (int turn = 0; turn < 400; ++turn) {
    const PmiDialect dialect = both[turn % 2];
    PlayedManager played(dialect, [](int, const std::string& text) {
      std::string changed = text;
      // A line's end stays, or most turns would end by a time limit.
      if (random() % 3 == 0)
        changed[random() % (changed.size() - 1)] = static_cast<char>(random() % 128);
      return changed;
    });
    PmiManager manager(dialect, {.answer_ms = 20, .fence_ms = 20});
    unsigned char record[60] = {1};
    (void)(manager.start(played.variables()) || manager.publish(record, sizeof record) ||
           manager.fence() || manager.read(0, record, sizeof record) || manager.finalize());
  }
}

}  // namespace
