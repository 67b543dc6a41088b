#include "world/wire_up/pmix_manager.hpp"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>

#include "platform/limited_call.hpp"
#include "world/wire_up/ranks_here.hpp"

namespace baton::world {

namespace {

using namespace platform;

constexpr const char* record_key = "baton.record";
// PMIx does not use this value: its errors are small negative numbers.
constexpr int no_answer = INT_MIN;

struct FreeValue {
  void operator()(pmix::Value* value) const {
    if (value->type == pmix::text) std::free(value->data.text);
    if (value->type == pmix::byte_object) std::free(value->data.bytes.bytes);
    std::free(value);
  }
};
using OwnedValue = std::unique_ptr<pmix::Value, FreeValue>;

// These are the arguments and results of a call; nothing in it points to the caller's memory. A
// copy lies in the heap while the call runs, and stays there if the call never returns, as does the
// record.
struct Call {
  const pmix::Functions* pmix;
  int (*body)(Call&);
  int status = no_answer;
  pmix::Process process{};
  const char* key = nullptr;
  int code = 0;
  std::size_t bytes = 0;
  char* record = nullptr;  // in the heap
  char words[64] = {};
  pmix::Value* found = nullptr;
};

void run(void* argument) {
  auto& call = *static_cast<Call*>(argument);
  call.status = call.body(call);
}

// Makes the call and returns its status, or no_answer. The caller's object gets the results.
int call_pmix(Call& call, int limit_ms) {
  Call* apart = new (std::nothrow) Call(call);
  if (!apart) {
    errno = ENOMEM;
    return no_answer;
  }
  if (!call_within(limit_ms, run, apart)) return no_answer;
  call = *apart;
  delete apart;
  return call.status;
}

Error refuse(const pmix::Functions& pmix, int status, const char* what) {
  if (status == no_answer)
    return fail(MPI_ERR_OTHER,
                "the process manager (PMIx) did not come back from %s: %s; it hangs, or ranks of "
                "the job have not started. See its own messages",
                what, std::strerror(errno));
  return fail(MPI_ERR_OTHER,
              "the process manager (PMIx) refused %s: %s; is the launcher still running, and of a "
              "version that fits this node's libpmix.so.2?",
              what, pmix.error_string(status));
}

int get_body(Call& call) {
  return call.pmix->get(&call.process, call.key, nullptr, 0, &call.found);
}

int init_body(Call& call) {
  return call.pmix->init(&call.process, nullptr, 0);
}

int put_body(Call& call) {
  pmix::Value value{};
  value.type = pmix::byte_object;
  value.data.bytes = {call.record, call.bytes};
  const int status = call.pmix->put(pmix::scope_global, call.key, &value);
  return status == pmix::success ? call.pmix->commit() : status;
}

int collecting_fence_body(Call& call) {
  pmix::Info collect{};
  std::snprintf(collect.key, sizeof collect.key, "%s", pmix::collect_key);
  collect.value.type = pmix::boolean;
  collect.value.data.boolean = true;
  return call.pmix->fence(nullptr, 0, &collect, 1);
}

int fence_body(Call& call) {
  return call.pmix->fence(nullptr, 0, nullptr, 0);
}

// Whose ends are heard of, and who is told; the handler gets nothing of ours.
struct Hearing {
  char job[pmix::name_bytes];
  void (*tell)(int rank, ProcessManager::End end);
};
Hearing hearing;

void hear_event(std::size_t, int status, const pmix::Process* source, pmix::Info* info,
                std::size_t infos, pmix::Info*, std::size_t, pmix::EventHandled handled,
                void* argument) {
  const pmix::Process* ended = source;
  for (std::size_t i = 0; i < infos; ++i)
    if (std::strcmp(info[i].key, pmix::affected_process_key) == 0 &&
        info[i].value.type == pmix::process)
      ended = info[i].value.data.process;
  using End = ProcessManager::End;
  if (ended && std::strcmp(ended->job, hearing.job) == 0)
    hearing.tell(static_cast<int>(ended->rank),
                 status == pmix::asked_for_the_end ? End::abort : End::death);
  if (handled) handled(pmix::event_is_handled, nullptr, 0, nullptr, nullptr, argument);
}

// Without a function to call afterwards it returns when the handler is there.
int register_body(Call& call) {
  int codes[] = {pmix::killed_by_command, pmix::killed_by_signal, pmix::ended_with_error,
                 pmix::ended_without_finalizing, pmix::asked_for_the_end};
  return call.pmix->register_event_handler(codes, std::size(codes), nullptr, 0, hear_event, nullptr,
                                           nullptr);
}

int finalize_body(Call& call) {
  return call.pmix->finalize(nullptr, 0);
}

int abort_body(Call& call) {
  return call.pmix->abort(call.code, call.words, nullptr, 0);
}

}  // namespace

PmixManager::~PmixManager() {
  std::free(here_);
}

std::span<const int> PmixManager::ranks_here() const {
  return {here_, static_cast<std::size_t>(here_count_)};
}

Error PmixManager::start() {
  const char* problem = "";
  pmix_ = pmix::open(&problem);
  if (!pmix_)
    return fail(MPI_ERR_OTHER,
                "the launcher speaks PMIx (PMIX_NAMESPACE is set), but this node's libpmix.so.2 "
                "cannot be loaded: %s. Install it (Debian: libpmix2), or put its folder into "
                "LD_LIBRARY_PATH",
                problem);
  Call call{.pmix = pmix_, .body = init_body};
  const int status = call_pmix(call, patience_.answer_ms);
  if (status != pmix::success) return refuse(*pmix_, status, "the connection");
  self_ = call.process;
  if (Error error = learn_size()) return error;
  return learn_ranks_here();
}

Error PmixManager::learn_size() {
  Call call{.pmix = pmix_, .body = get_body, .process = self_, .key = pmix::job_size_key};
  call.process.rank = pmix::any_rank;
  const int status = call_pmix(call, patience_.answer_ms);
  const OwnedValue size(call.found);
  if (status != pmix::success) return refuse(*pmix_, status, "the size of the job");
  if (!size || size->type != pmix::uint32 || size->data.uint32 > INT_MAX ||
      self_.rank >= size->data.uint32)
    return fail(MPI_ERR_OTHER,
                "the process manager (PMIx) does not say how many ranks the job has; Baton needs a "
                "launcher that sets %s",
                pmix::job_size_key);
  size_ = size->data.uint32;
  return MPI_SUCCESS;
}

// Asks which ranks are here. Managers need not know it.
Error PmixManager::learn_ranks_here() {
  Call call{.pmix = pmix_, .body = get_body, .process = self_, .key = pmix::local_peers_key};
  call.process.rank = pmix::any_rank;
  const int status = call_pmix(call, patience_.answer_ms);
  const OwnedValue list(call.found);
  if (status == no_answer) return refuse(*pmix_, status, "the list of ranks on this node");
  if (status != pmix::success || !list || list->type != pmix::text || !list->data.text)
    return MPI_SUCCESS;
  here_ = static_cast<int*>(std::malloc(size_ * sizeof(int)));
  if (!here_) return fail(MPI_ERR_NO_MEM, "no memory for the list of %u ranks", size_);
  here_count_ = ranks_of_list(list->data.text, rank(), size(), here_);
  return MPI_SUCCESS;
}

Error PmixManager::publish(const void* record, std::size_t bytes) {
  auto* copy = static_cast<char*>(std::malloc(bytes));
  if (!copy) return fail(MPI_ERR_NO_MEM, "no memory for a record of %zu bytes", bytes);
  std::memcpy(copy, record, bytes);
  // This call also commits the record, which costs a message to the node's own daemon.
  Call call{.pmix = pmix_, .body = put_body, .key = record_key, .bytes = bytes, .record = copy};
  const int status = call_pmix(call, patience_.answer_ms);
  if (status != no_answer) std::free(copy);
  return status == pmix::success ? MPI_SUCCESS : refuse(*pmix_, status, "this rank's record");
}

Error PmixManager::fence() {
  // Slurm loses records that are put after the first fence that collects, so there is only one such
  // fence.
  Call call{.pmix = pmix_, .body = records_are_shared_ ? fence_body : collecting_fence_body};
  const int status = call_pmix(call, patience_.fence_ms);
  records_are_shared_ = true;
  return status == pmix::success ? MPI_SUCCESS
                                 : refuse(*pmix_, status, "the fence that all ranks pass");
}

Error PmixManager::read(int rank, void* record, std::size_t bytes) {
  Call call{.pmix = pmix_, .body = get_body, .process = self_, .key = record_key};
  call.process.rank = static_cast<std::uint32_t>(rank);
  const int status = call_pmix(call, patience_.answer_ms);
  const OwnedValue found(call.found);
  if (status != pmix::success) {
    char what[40];
    std::snprintf(what, sizeof what, "the record of rank %d", rank);
    return refuse(*pmix_, status, what);
  }
  if (!found || found->type != pmix::byte_object || found->data.bytes.size != bytes)
    return fail(MPI_ERR_OTHER,
                "rank %d's record in the process manager (PMIx) is none of %zu bytes; does each "
                "rank use the same Baton?",
                rank, bytes);
  std::memcpy(record, found->data.bytes.bytes, bytes);
  return MPI_SUCCESS;
}

// A manager that refuses tells of no deaths; they are found more slowly then.
void PmixManager::hear_of_ends(void (*tell)(int rank, End end)) {
  std::memcpy(hearing.job, self_.job, sizeof hearing.job);
  hearing.tell = tell;
  Call call{.pmix = pmix_, .body = register_body};
  call_pmix(call, patience_.answer_ms);
}

Error PmixManager::finalize() {
  Call call{.pmix = pmix_, .body = finalize_body};
  const int status = call_pmix(call, patience_.answer_ms);
  return status == pmix::success ? MPI_SUCCESS : refuse(*pmix_, status, "the orderly end");
}

void PmixManager::abort(int code, const char* words) {
  Call call{.pmix = pmix_, .body = abort_body, .code = code};
  std::snprintf(call.words, sizeof call.words, "%s", words);
  call_pmix(call, patience_.answer_ms);  // the job ends anyway, so an error is not reported
}

}  // namespace baton::world
