#include "world/wire_up/pmi_manager.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "world/wire_up/ranks_here.hpp"
#include "world/wire_up/record_text.hpp"

namespace baton::world {

namespace {

constexpr int shortest_value = 32, longest_value = 1024;
constexpr const char* mapping_key = "PMI_process_mapping";

struct Key {
  char text[40];
};

// Returns the key of a part of a rank's record, which may need several values.
Key key_of(int rank, std::size_t part) {
  Key key;
  std::snprintf(key.text, sizeof key.text, "baton.%d.%zu", rank, part);
  return key;
}

bool number_of(const char* text, int* number) {
  return text && whole_number(text, number);
}

struct Free {
  void operator()(char* text) const { std::free(text); }
};
using OwnedText = std::unique_ptr<char, Free>;

Error no_memory_for_record(std::size_t bytes) {
  return fail(MPI_ERR_NO_MEM, "no memory for a record of %zu bytes", bytes);
}

}  // namespace

PmiManager::~PmiManager() {
  std::free(here_);
}

std::span<const int> PmiManager::ranks_here() const {
  return {here_, static_cast<std::size_t>(here_count_)};
}

Error PmiManager::ask(PmiRequest& request, const char* answer, int limit_ms, PmiReply* reply) {
  if (Error error = wire_.ask(dialect_, request, answer, limit_ms, reply)) return error;
  return reply->succeeded() ? MPI_SUCCESS : refuse_answer(answer, *reply);
}

Error PmiManager::start(const ManagerVariables& variables) {
  if (Error error = open(variables)) return error;
  if (Error error = agree_on_version()) return error;
  if (Error error = is_pmi1() ? start_pmi1() : start_pmi2(variables)) return error;
  if (rank_ < 0 || rank_ >= size_)
    return fail(MPI_ERR_OTHER,
                "the process manager (%s) says rank %d of %d; is the environment its?", name(),
                rank_, size_);
  return learn_ranks_here();
}

Error PmiManager::open(const ManagerVariables& variables) {
  if (!variables.pmi_fd) {
    if (Error error = wire_.connect(variables.pmi_port, patience_.answer_ms)) return error;
    return introduce_by_port(variables.pmi_id);
  }
  int descriptor;
  if (!variables.fd_is_socket || !number_of(variables.pmi_fd, &descriptor))
    return fail(MPI_ERR_OTHER,
                "PMI_FD is \"%.40s\", but this process has no such connection to a launcher: a "
                "rank of another launcher started this program, or a script closed it. Without "
                "launcher: `env -u PMI_FD -u PMI_RANK -u PMI_SIZE PROGRAM`",
                variables.pmi_fd);
  wire_.use(descriptor);
  return take_place(variables);
}

Error PmiManager::take_place(const ManagerVariables& variables) {
  if (number_of(variables.pmi_rank, &rank_) && number_of(variables.pmi_size, &size_))
    return MPI_SUCCESS;
  return fail(
      MPI_ERR_OTHER,
      "PMI_FD is set, but PMI_RANK (\"%.40s\") and PMI_SIZE (\"%.40s\") are not two numbers; "
      "start the program by its launcher",
      variables.pmi_rank ? variables.pmi_rank : "", variables.pmi_size ? variables.pmi_size : "");
}

// Introduces this rank over PMI_PORT: the manager first learns who calls, and then tells what is
// otherwise in variables.
Error PmiManager::introduce_by_port(const char* id) {
  PmiReply reply;
  PmiRequest request(PmiDialect::pmi1, "initack");
  request.add("pmiid", id);
  if (Error error = ask(request, "initack", patience_.answer_ms, &reply)) return error;
  for (const char* name : {"size", "rank", "debug"}) {
    if (Error error = wire_.hear(PmiDialect::pmi1, "set", patience_.answer_ms, &reply))
      return error;
    int number;
    if (!reply.find(name, &number)) return refuse_answer(name, reply);
    if (name[0] == 's') size_ = number;
    if (name[0] == 'r') rank_ = number;
  }
  return MPI_SUCCESS;
}

// Agrees on a version of the protocol. The first question is a line in both dialects.
Error PmiManager::agree_on_version() {
  PmiReply reply;
  PmiRequest request(PmiDialect::pmi1, "init");
  request.add("pmi_version", is_pmi1() ? 1 : 2).add("pmi_subversion", is_pmi1() ? 1 : 0);
  constexpr const char* answer = "response_to_init";
  if (Error error = wire_.ask(PmiDialect::pmi1, request, answer, patience_.answer_ms, &reply))
    return error;
  return reply.succeeded() ? MPI_SUCCESS : refuse_answer(answer, reply);
}

Error PmiManager::start_pmi1() {
  PmiReply reply;
  PmiRequest limits(dialect_, "get_maxes"), name_request(dialect_, "get_my_kvsname");
  if (Error error = ask(limits, "maxes", patience_.answer_ms, &reply)) return error;
  if (!reply.find("vallen_max", &value_length_max_) || value_length_max_ < shortest_value)
    return refuse_answer("vallen_max", reply);
  value_length_max_ = std::min(value_length_max_, longest_value);
  if (Error error = ask(name_request, "my_kvsname", patience_.answer_ms, &reply)) return error;
  return keep_job_name(reply, "kvsname", "my_kvsname");
}

Error PmiManager::start_pmi2(const ManagerVariables& variables) {
  PmiReply reply;
  PmiRequest whole(dialect_, "fullinit"), name_request(dialect_, "job-getid");
  whole.add("pmijobid", variables.pmi_job).add("pmirank", rank_).add("threaded", "FALSE");
  if (Error error = ask(whole, "fullinit-response", patience_.answer_ms, &reply)) return error;
  if (!reply.find("rank", &rank_) || !reply.find("size", &size_))
    return refuse_answer("rank and size", reply);
  if (Error error = ask(name_request, "job-getid-response", patience_.answer_ms, &reply))
    return error;
  return keep_job_name(reply, "jobid", "job-getid-response");
}

Error PmiManager::keep_job_name(const PmiReply& reply, const char* field, const char* answer) {
  std::string_view found;
  if (!reply.find(field, &found) || found.empty() || found.size() >= sizeof job_)
    return refuse_answer(answer, reply);
  std::memcpy(job_, found.data(), found.size());
  job_[found.size()] = 0;
  return MPI_SUCCESS;
}

// Asks which ranks are here. Managers need not know it; only a connection that fails is an error.
Error PmiManager::learn_ranks_here() {
  PmiReply reply;
  PmiRequest request(dialect_, is_pmi1() ? "get" : "info-getjobattr");
  if (is_pmi1()) request.add("kvsname", job_);
  request.add("key", mapping_key);
  const char* answer = is_pmi1() ? "get_result" : "info-getjobattr-response";
  if (Error error = wire_.ask(dialect_, request, answer, patience_.answer_ms, &reply)) return error;
  std::string_view mapping;
  if (!reply.succeeded() || !reply.find("value", &mapping)) return MPI_SUCCESS;
  here_ = static_cast<int*>(std::malloc(static_cast<std::size_t>(size_) * sizeof(int)));
  if (!here_) return fail(MPI_ERR_NO_MEM, "no memory for the list of %d ranks", size_);
  here_count_ = ranks_of_mapping(mapping, rank_, size_, here_);
  return MPI_SUCCESS;
}

std::size_t PmiManager::part_length() const {
  return static_cast<std::size_t>(value_length_max_) - 1;
}

Error PmiManager::publish(const void* record, std::size_t bytes) {
  const std::size_t length = text_length(bytes);
  const OwnedText owned(static_cast<char*>(std::malloc(length)));
  char* text = owned.get();
  if (!text) return no_memory_for_record(bytes);
  write_record_text(record, bytes, text);
  for (std::size_t start = 0, part = 0; start < length; start += part_length(), ++part) {
    PmiReply reply;
    PmiRequest request(dialect_, is_pmi1() ? "put" : "kvs-put");
    if (is_pmi1()) request.add("kvsname", job_);
    request.add("key", key_of(rank_, part).text);
    request.add("value", {text + start, std::min(part_length(), length - start)});
    const char* answer = is_pmi1() ? "put_result" : "kvs-put-response";
    if (Error error = ask(request, answer, patience_.answer_ms, &reply)) return error;
  }
  return MPI_SUCCESS;
}

Error PmiManager::fence() {
  PmiReply reply;
  PmiRequest request(dialect_, is_pmi1() ? "barrier_in" : "kvs-fence");
  return ask(request, is_pmi1() ? "barrier_out" : "kvs-fence-response", patience_.fence_ms, &reply);
}

Error PmiManager::read(int rank, void* record, std::size_t bytes) {
  const std::size_t length = text_length(bytes);
  const OwnedText owned(static_cast<char*>(std::malloc(length)));
  char* text = owned.get();
  if (!text) return no_memory_for_record(bytes);
  for (std::size_t start = 0, part = 0; start < length; start += part_length(), ++part) {
    PmiReply reply;
    PmiRequest request(dialect_, is_pmi1() ? "get" : "kvs-get");
    if (is_pmi1()) request.add("kvsname", job_);
    if (!is_pmi1()) request.add("jobid", job_).add("srcid", rank);
    request.add("key", key_of(rank, part).text);
    const char* answer = is_pmi1() ? "get_result" : "kvs-get-response";
    if (Error error = ask(request, answer, patience_.answer_ms, &reply)) return error;
    std::string_view value;
    if (!reply.find("value", &value) || value.size() != std::min(part_length(), length - start))
      return refuse_answer("a rank's record", reply);
    std::memcpy(text + start, value.data(), value.size());
  }
  if (read_record_text({text, length}, record, bytes)) return MPI_SUCCESS;
  return fail(MPI_ERR_OTHER,
              "rank %d's record in the process manager (%s) is none; does each rank use the same "
              "Baton?",
              rank, name());
}

void PmiManager::survive_ends() {
  struct sigaction action {};
  if (!is_pmi1() || ::sigaction(SIGUSR1, nullptr, &action) != 0 || action.sa_handler != SIG_DFL)
    return;
  // A handler that does nothing: a program that the rank starts would inherit SIG_IGN.
  action.sa_handler = [](int) {};
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGUSR1, &action, nullptr);
}

Error PmiManager::finalize() {
  PmiReply reply;
  PmiRequest request(dialect_, "finalize");
  const char* answer = is_pmi1() ? "finalize_ack" : "finalize-response";
  Error error = ask(request, answer, patience_.answer_ms, &reply);
  wire_.close();
  return error;
}

void PmiManager::abort(int code, const char* words) {
  if (!wire_.is_open()) return;
  PmiRequest request(dialect_, "abort");
  char text[256];
  const std::size_t length = pmi_words(dialect_, words, text, sizeof text);
  if (is_pmi1()) request.add("exitcode", code);
  if (!is_pmi1()) request.add("isworld", "TRUE").add("msg", {text, length});
  // The job ends anyway, so an error is not reported to anybody.
  [[maybe_unused]] Error error = wire_.tell(request, patience_.answer_ms);
}

}  // namespace baton::world
