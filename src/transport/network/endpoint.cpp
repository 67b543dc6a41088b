#include "transport/network/endpoint.hpp"

#include <rdma/fi_cm.h>
#include <rdma/fi_errno.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "base/report.hpp"
#include "platform/random.hpp"
#include "transport/network/choose_provider.hpp"

namespace baton::transport::network {

namespace {

constexpr std::size_t completions_at_once = 16;
constexpr std::uint64_t completion_queue_entries = 1024;

}  // namespace

Started Endpoint::explain(const char* what, long code) {
  if (code == -FI_EAGAIN) return Started::later;
  last_error_ = static_cast<int>(-code);
  (void)fail(MPI_ERR_OTHER, "the network (%s on %s) refuses %s: %s", provider(), interface(), what,
             library_->strerror(static_cast<int>(-code)));
  return Started::failed;
}

Error Endpoint::open_all() {
  // take_offers marks the offer so. Other sends do not use the flag.
  remote_access_ = info_->tx_attr->op_flags & FI_DELIVERY_COMPLETE;
  info_->tx_attr->op_flags &= ~std::uint64_t{FI_DELIVERY_COMPLETE};
  needs_looks_ = is_tcp() || needs_looks_at_target(provider());
  const char* what = "to open its fabric";
  info_->domain_attr->threading = FI_THREAD_DOMAIN;
  long code = library_->fabric(info_->fabric_attr, &fabric_, nullptr);
  if (code == 0) {
    what = "to open its domain";
    code = fi_domain(fabric_, info_, &domain_, nullptr);
  }
  fi_av_attr for_addresses{};
  for_addresses.type = info_->domain_attr->av_type;
  if (code == 0) {
    what = "a table of addresses";
    code = fi_av_open(domain_, &for_addresses, &addresses_, nullptr);
  }
  fi_cq_attr for_completions{};
  for_completions.size = completion_queue_entries;
  for_completions.format = FI_CQ_FORMAT_DATA;
  for_completions.wait_obj = FI_WAIT_FD;
  if (code == 0) {
    what = "a completion queue";
    code = fi_cq_open(domain_, &for_completions, &completions_, nullptr);
    if (code == -FI_ENOSYS || code == -FI_EINVAL) {  // no descriptor to wait on
      for_completions.wait_obj = FI_WAIT_NONE;
      code = fi_cq_open(domain_, &for_completions, &completions_, nullptr);
    }
  }
  if (code == 0) {
    what = "an endpoint";
    code = fi_endpoint(domain_, info_, &endpoint_, nullptr);
  }
  if (code == 0) code = fi_ep_bind(endpoint_, &addresses_->fid, 0);
  if (code == 0) code = fi_ep_bind(endpoint_, &completions_->fid, FI_TRANSMIT | FI_RECV);
  if (code == 0) code = fi_enable(endpoint_);
  std::size_t bytes = sizeof address_.raw;
  if (code == 0) {
    what = "its address";
    code = fi_getname(&endpoint_->fid, address_.raw, &bytes);
    address_.bytes = static_cast<std::uint32_t>(bytes);
  }
  if (code != 0) return explain(what, code), MPI_ERR_OTHER;
  if (for_completions.wait_obj == FI_WAIT_FD &&
      fi_control(&completions_->fid, FI_GETWAIT, &wait_descriptor_) != 0)
    wait_descriptor_ = -1;
  return MPI_SUCCESS;
}

Error Endpoint::open(const Library& library, fi_info* offer, std::size_t receive_buffers) {
  library_ = &library;
  info_ = offer;
  Error error = open_all();
  if (!error) error = post_buffers(receive_buffers);
  if (error) close();
  return error;
}

void Endpoint::close() {
  const auto end = [](auto*& object) {
    if (object) fi_close(&object->fid);
    object = nullptr;
  };
  end(endpoint_);
  forget(buffers_registered_);
  end(completions_);
  end(addresses_);
  end(domain_);
  end(fabric_);
  if (info_) library_->freeinfo(info_);
  info_ = nullptr;
  delete[] buffers_;
  buffers_ = unposted_ = first_ = last_ = nullptr;
  wait_descriptor_ = -1;
}

Error Endpoint::add_peer(const Address& address, fi_addr_t* peer) {
  platform::Guard guard(lock_);
  const int added = fi_av_insert(addresses_, address.raw, 1, peer, 0, nullptr);
  if (added == 1) return MPI_SUCCESS;
  return fail(MPI_ERR_OTHER, "the network (%s on %s) does not take a peer's address: %s",
              provider(), interface(), library_->strerror(-added));
}

Started Endpoint::inject(fi_addr_t peer, const void* packet, std::size_t bytes) {
  platform::Guard guard(lock_);
  const ssize_t code = fi_inject(endpoint_, packet, bytes, peer);
  return BATON_LIKELY(code == 0) ? Started::yes : explain("a packet", code);
}

Started Endpoint::send(fi_addr_t peer, const iovec* parts, void** descriptions, std::size_t count,
                       Operation& operation) {
  platform::Guard guard(lock_);
  const ssize_t code =
      count == 1 ? fi_send(endpoint_, parts[0].iov_base, parts[0].iov_len, descriptions[0], peer,
                           &operation.context)
                 : fi_sendv(endpoint_, parts, descriptions, count, peer, &operation.context);
  return BATON_LIKELY(code == 0) ? Started::yes : explain("a packet", code);
}

Started Endpoint::write(fi_addr_t peer, const void* data, std::size_t bytes, void* description,
                        std::uint64_t address, std::uint64_t key, std::uint32_t number,
                        Operation& operation) {
  platform::Guard guard(lock_);
  const ssize_t code = fi_writedata(endpoint_, data, bytes, description, number, peer, address, key,
                                    &operation.context);
  return BATON_LIKELY(code == 0) ? Started::yes : explain("a write", code);
}

Started Endpoint::access(fi_addr_t peer, bool writes, void* data, std::size_t bytes,
                         void* description, std::uint64_t address, std::uint64_t key,
                         Operation& operation) {
  const iovec part{data, bytes};
  const fi_rma_iov there{address, bytes, key};
  const fi_msg_rma message{&part, &description, 1, peer, &there, 1, &operation.context, 0};
  platform::Guard guard(lock_);
  const ssize_t code = writes
                           ? fi_writemsg(endpoint_, &message, FI_COMPLETION | FI_DELIVERY_COMPLETE)
                           : fi_readmsg(endpoint_, &message, FI_COMPLETION);
  return BATON_LIKELY(code == 0) ? Started::yes : explain(writes ? "a write" : "a read", code);
}

int Endpoint::make_region(void* memory, std::size_t bytes, std::uint64_t access, int device,
                          fid_mr** made) {
  const std::size_t key_bits = 8 * info_->domain_attr->mr_key_size;
  const bool by_provider = info_->domain_attr->mr_mode & FI_MR_PROV_KEY;
  std::uint64_t key = by_provider ? 0 : platform::random_word();
  if (key_bits > 0 && key_bits < 64) key &= (std::uint64_t{1} << key_bits) - 1;
  if (device == host) return fi_mr_reg(domain_, memory, bytes, access, 0, key, 0, made, nullptr);
  const iovec part{memory, bytes};
  fi_mr_attr attributes{};
  attributes.mr_iov = &part;
  attributes.iov_count = 1;
  attributes.access = access;
  attributes.requested_key = key;
  attributes.iface = FI_HMEM_CUDA;
  attributes.device.cuda = device;
  return fi_mr_regattr(domain_, &attributes, 0, made);
}

Error Endpoint::register_memory(void* memory, std::size_t bytes, std::uint64_t access,
                                Registration& made, int device) {
  platform::Guard guard(lock_);
  const int mode = info_->domain_attr->mr_mode;
  int code = make_region(memory, bytes, access, device, &made.region);
  if (code == 0 && (mode & FI_MR_ENDPOINT)) {
    code = fi_mr_bind(made.region, &endpoint_->fid, 0);
    if (code == 0) code = fi_mr_enable(made.region);
    if (code != 0) {
      fi_close(&made.region->fid);
      made.region = nullptr;
    }
  }
  if (code != 0)
    return fail(
        MPI_ERR_NO_MEM,
        "the network (%s on %s) cannot register %zu bytes of memory: %s; raise the limit on "
        "locked memory (ulimit -l)",
        provider(), interface(), bytes, library_->strerror(-code));
  made.description = fi_mr_desc(made.region);
  made.key = fi_mr_key(made.region);
  made.address = mode & FI_MR_VIRT_ADDR ? reinterpret_cast<std::uint64_t>(memory) : 0;
  return MPI_SUCCESS;
}

Error Endpoint::register_target(void* memory, std::size_t bytes, Registration& made) {
  return register_memory(memory, bytes, FI_REMOTE_WRITE, made);
}

Error Endpoint::register_source(const void* memory, std::size_t bytes, Registration& made) {
  made = {};
  if (!(info_->domain_attr->mr_mode & FI_MR_LOCAL)) return MPI_SUCCESS;
  return register_memory(const_cast<void*>(memory), bytes, FI_SEND | FI_WRITE, made);
}

Error Endpoint::register_exposed(void* memory, std::size_t bytes, Registration& made) {
  return register_memory(memory, bytes, FI_REMOTE_WRITE | FI_REMOTE_READ, made);
}

Error Endpoint::register_local(void* memory, std::size_t bytes, bool writes, Registration& made) {
  made = {};
  if (!(info_->domain_attr->mr_mode & FI_MR_LOCAL)) return MPI_SUCCESS;
  return register_memory(memory, bytes, writes ? FI_WRITE : FI_READ, made);
}

Error Endpoint::register_device(void* memory, std::size_t bytes, int device, Registration& made) {
  return register_memory(memory, bytes, FI_SEND | FI_WRITE | FI_REMOTE_WRITE, made, device);
}

void Endpoint::forget(Registration& made) {
  platform::Guard guard(lock_);
  if (made.region) fi_close(&made.region->fid);
  made = {};
}

Error Endpoint::post_buffers(std::size_t count) {
  buffers_ = new (std::nothrow) ReceiveBuffer[count];
  if (!buffers_) return fail(MPI_ERR_NO_MEM, "no memory to receive from the network");
  if (info_->domain_attr->mr_mode & FI_MR_LOCAL)
    if (Error error =
            register_memory(buffers_, count * sizeof *buffers_, FI_RECV, buffers_registered_))
      return error;
  for (std::size_t i = 0; i < count; ++i)
    if (!post(buffers_[i])) return MPI_ERR_OTHER;
  return MPI_SUCCESS;
}

// Posts a receive buffer. Returns false when the provider is broken; where it only has no space the
// post is repeated later.
bool Endpoint::post(ReceiveBuffer& buffer) {
  platform::Guard guard(lock_);
  const ssize_t code = fi_recv(endpoint_, buffer.packet, sizeof buffer.packet,
                               buffers_registered_.description, FI_ADDR_UNSPEC, &buffer.context);
  if (code == 0) return true;
  if (explain("a buffer to receive into", code) == Started::failed) return false;
  buffer.next = unposted_;
  unposted_ = &buffer;
  return true;
}

bool Endpoint::read_error() {
  fi_cq_err_entry entry{};
  {
    platform::Guard guard(lock_);
    if (fi_cq_readerr(completions_, &entry, 0) < 1) return false;
  }
  auto* operation = static_cast<Operation*>(entry.op_context);
  if (operation && operation->done) {
    operation->done(*operation, entry.err ? entry.err : FI_EIO);
  } else if (operation && entry.err != FI_ECANCELED) {
    // A packet came only in part, because its sender's connection broke. The buffer is posted again
    // for others.
    (void)post(*static_cast<ReceiveBuffer*>(operation));
  }
  return true;
}

bool Endpoint::poll(void (*arrived)(std::uint32_t number)) {
  if (BATON_UNLIKELY(unposted_ != nullptr)) post_again();
  fi_cq_data_entry entries[completions_at_once];
  ssize_t count;
  {
    platform::Guard guard(lock_);
    count = fi_cq_read(completions_, entries, completions_at_once);
  }
  if (BATON_LIKELY(count == -FI_EAGAIN)) return false;
  if (BATON_UNLIKELY(count < 0)) return read_error();
  platform::add_shared(completions_taken_, static_cast<std::uint64_t>(count));
  for (ssize_t i = 0; i < count; ++i) {
    const fi_cq_data_entry& entry = entries[i];
    if ((entry.flags & FI_REMOTE_CQ_DATA) && !(entry.flags & FI_MSG)) {
      arrived(static_cast<std::uint32_t>(entry.data));
      continue;
    }
    auto* operation = static_cast<Operation*>(entry.op_context);
    if (entry.flags & FI_RECV) {
      auto* buffer = static_cast<ReceiveBuffer*>(operation);
      buffer->bytes = static_cast<std::uint32_t>(entry.len);
      buffer->next = nullptr;
      (first_ ? last_->next : first_) = buffer;
      last_ = buffer;
    } else if (operation) {
      operation->done(*operation, 0);
    }
  }
  return count > 0;
}

ReceiveBuffer* Endpoint::next_packet() {
  ReceiveBuffer* buffer = first_;
  if (buffer) first_ = buffer->next;
  return buffer;
}

void Endpoint::give_back(ReceiveBuffer& buffer) {
  if (!post(buffer)) report("%s", last_explanation().text);
}

// Posts the buffers for which the provider had no space. Each poll tries, because while none is
// posted no packet comes whose return could trigger it.
void Endpoint::post_again() {
  ReceiveBuffer* again = std::exchange(unposted_, nullptr);
  while (again) {
    ReceiveBuffer* next = again->next;
    (void)post(*again);
    again = next;
  }
}

bool Endpoint::may_wait() {
  platform::Guard guard(lock_);
  fid* queue = &completions_->fid;
  return wait_descriptor_ >= 0 && fi_trywait(fabric_, &queue, 1) == 0;
}

}  // namespace baton::transport::network
