#include "completions.hpp"

#include <rdma/fi_errno.h>

#include <utility>

#include "checksum.hpp"
#include "rule.hpp"

namespace fake {

void Completions::add(Completion completion) {
  (completion.error ? failed_ : good_).push_back(std::move(completion));
}

// Any; of messages from one sender the first, unless they may overtake each other.
std::size_t Completions::choose() {
  std::size_t chosen = chance_.below(good_.size());
  if (personality_.overtake || !(good_[chosen].flags & FI_RECV)) return chosen;
  for (std::size_t i = 0; i < good_.size(); ++i)
    if ((good_[i].flags & FI_RECV) && good_[i].from == good_[chosen].from &&
        good_[i].turn < good_[chosen].turn)
      chosen = i;
  return chosen;
}

// The last look at what was the provider's until now.
void Completions::let_go(const Completion& completion) {
  if (completion.of_user && completion.context) contexts_.end(completion.context);
  std::uint64_t sum = 0;
  for (const iovec& part : completion.parts) sum = checksum(part.iov_base, part.iov_len, sum);
  if (!completion.parts.empty() && sum != completion.checksum)
    broken("the memory of %s was changed before its completion",
           completion.flags & FI_RECV ? "a receive" : "a send or write");
  for (Region* region : completion.regions)
    if (region) --region->uses;
}

ssize_t Completions::take(fi_cq_data_entry* entries, std::size_t most) {
  if (chance_.one_in(4)) return -FI_EAGAIN;
  if (!failed_.empty()) return -FI_EAVAIL;
  std::size_t count = 0;
  while (count < most && !good_.empty() && !chance_.one_in(8)) {
    const std::size_t chosen = choose();
    std::swap(good_[chosen], good_.back());
    const Completion completion = std::move(good_.back());
    good_.pop_back();
    let_go(completion);
    entries[count++] = {completion.context, completion.flags, completion.bytes, completion.buffer,
                        completion.data};
  }
  return count ? static_cast<ssize_t>(count) : -FI_EAGAIN;
}

ssize_t Completions::take_error(fi_cq_err_entry& entry) {
  if (failed_.empty()) return -FI_EAGAIN;
  const Completion completion = std::move(failed_.back());
  failed_.pop_back();
  let_go(completion);
  entry = {};
  entry.op_context = completion.context;
  entry.flags = completion.flags;
  entry.len = completion.bytes;
  entry.err = completion.error;
  return 1;
}

void Completions::forget_all() {
  good_.clear();
  failed_.clear();
}

}  // namespace fake
