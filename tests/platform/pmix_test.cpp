#include "platform/pmix.hpp"

#include <gtest/gtest.h>

// Our declarations of PMIx's types against its own.
#if __has_include(<pmix.h>)
#include <pmix.h>

#include <type_traits>

namespace {

namespace ours = baton::platform::pmix;

static_assert(sizeof(ours::Process) == sizeof(pmix_proc_t));
static_assert(offsetof(ours::Process, rank) == offsetof(pmix_proc_t, rank));
static_assert(sizeof(ours::Bytes) == sizeof(pmix_byte_object_t));
static_assert(offsetof(ours::Bytes, size) == offsetof(pmix_byte_object_t, size));
static_assert(sizeof(ours::Value) == sizeof(pmix_value_t));
static_assert(offsetof(ours::Value, data) == offsetof(pmix_value_t, data));
static_assert(sizeof(ours::Info) == sizeof(pmix_info_t));
static_assert(offsetof(ours::Info, directives) == offsetof(pmix_info_t, flags));
static_assert(offsetof(ours::Info, value) == offsetof(pmix_info_t, value));
static_assert(ours::any_rank == PMIX_RANK_WILDCARD);
static_assert(ours::success == PMIX_SUCCESS);
static_assert(ours::scope_global == PMIX_GLOBAL);
static_assert(ours::boolean == PMIX_BOOL);
static_assert(ours::text == PMIX_STRING);
static_assert(ours::uint32 == PMIX_UINT32);
static_assert(ours::process == PMIX_PROC);
static_assert(ours::byte_object == PMIX_BYTE_OBJECT);
static_assert(ours::killed_by_command == PMIX_ERR_PROC_KILLED_BY_CMD);
static_assert(ours::killed_by_signal == PMIX_ERR_PROC_ABORTED_BY_SIG);
static_assert(ours::ended_with_error == PMIX_ERR_EXIT_NONZERO_TERM);
static_assert(ours::ended_without_finalizing == PMIX_ERR_PROC_TERM_WO_SYNC);
static_assert(ours::asked_for_the_end == PMIX_ERR_PROC_REQUESTED_ABORT);
static_assert(ours::event_is_handled == PMIX_EVENT_ACTION_COMPLETE);

// Pointers count as alike, whatever they point to.
template <class Our, class Their>
constexpr bool is_alike = std::is_same_v<Our, Their> ||
                          (std::is_pointer_v<Our> && std::is_pointer_v<Their>);

template <class Result, class... Our, class TheirResult, class... Their>
constexpr bool takes_the_same(Result (*)(Our...), TheirResult (*)(Their...)) {
  if constexpr (sizeof...(Our) == sizeof...(Their))
    return is_alike<Result, TheirResult> && (is_alike<Our, Their> && ...);
  else
    return false;
}

#define TAKES_THE_SAME(our, their) \
  static_assert(                   \
      takes_the_same(decltype(ours::Functions::our){}, static_cast<decltype(&their)>(nullptr)))
TAKES_THE_SAME(init, PMIx_Init);
TAKES_THE_SAME(finalize, PMIx_Finalize);
TAKES_THE_SAME(put, PMIx_Put);
TAKES_THE_SAME(commit, PMIx_Commit);
TAKES_THE_SAME(fence, PMIx_Fence);
TAKES_THE_SAME(get, PMIx_Get);
TAKES_THE_SAME(abort, PMIx_Abort);
TAKES_THE_SAME(error_string, PMIx_Error_string);
TAKES_THE_SAME(register_event_handler, PMIx_Register_event_handler);

TEST(pmix, keys_are_those_of_its_header) {
  EXPECT_STREQ(ours::job_size_key, PMIX_JOB_SIZE);
  EXPECT_STREQ(ours::local_peers_key, PMIX_LOCAL_PEERS);
  EXPECT_STREQ(ours::collect_key, PMIX_COLLECT_DATA);
  EXPECT_STREQ(ours::affected_process_key, PMIX_EVENT_AFFECTED_PROC);
}

}  // namespace
#else
TEST(pmix, keys_are_those_of_its_header) {
  GTEST_SKIP() << "pmix.h is not installed (Debian: libpmix-dev)";
}
#endif
