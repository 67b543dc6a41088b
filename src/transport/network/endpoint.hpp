// This process's end of the network on one interface: a reliable-datagram endpoint of libfabric
// with its completion queue and its pool of receive buffers, for all peers together. It is used by
// the network link and by the network's rendezvous. Invariant: libfabric is called from this folder
// only, and under the endpoint's lock where threads need it.
#pragma once

#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>

#include <cstdint>
#include <span>

#include "base/error.hpp"
#include "platform/lock.hpp"
#include "transport/network/library.hpp"
#include "transport/network/packet.hpp"

namespace baton::transport::network {

// This is the address of an endpoint, in the provider's own form.
inline constexpr std::size_t address_bytes_max = 128;
struct Address {
  std::uint32_t bytes = 0;
  unsigned char raw[address_bytes_max] = {};
};

// This is an operation that was begun, and is over when the provider says so. Kinds of operations
// derive from this, and live until `done` has been called. `error` is 0, or libfabric's (positive).
struct Operation {
  fi_context2 context = {};  // used by the provider
  void (*done)(Operation& operation, int error) = nullptr;
};

// This is a packet that has come, or space for one.
struct ReceiveBuffer : Operation {
  ReceiveBuffer* next = nullptr;
  std::uint32_t bytes = 0;
  alignas(cache_line_bytes) char packet[packet_bytes_max];
};

// This is memory that the provider may use.
struct Registration {
  fid_mr* region = nullptr;  // null: none was needed
  void* description = nullptr;
  std::uint64_t key = 0;
  std::uint64_t address = 0;  // the address by which others name its beginning
};

// These are the results of starting an operation.
enum class Started { yes, later, failed };  // later: no space now; failed: explained

class Endpoint {
 public:
  // Opens the endpoint on an offer of libfabric (which is given back in the end), with space for
  // this many packets that may come before the first is taken. Errors, explained: MPI_ERR_OTHER,
  // MPI_ERR_NO_MEM.
  [[nodiscard]] Error open(const Library& library, fi_info* offer, std::size_t receive_buffers);
  void close();
  bool is_open() const { return endpoint_ != nullptr; }
  const Address& address() const { return address_; }
  const char* provider() const { return info_->fabric_attr->prov_name; }
  const char* interface() const { return info_->domain_attr->name; }
  std::size_t inject_bytes_max() const { return info_->tx_attr->inject_size; }
  // Returns whether this is libfabric's own provider over TCP.
  bool is_tcp() const { return info_->ep_attr->protocol == FI_PROTO_XNET; }
  // Returns whether the provider makes a connection for each pair that talks, and both ends may
  // begin.
  bool connects() const { return is_tcp() || info_->ep_attr->protocol == FI_PROTO_RXM; }
  // Returns whether its remote writes and reads go on only while their target looks at the network.
  bool needs_looks() const { return needs_looks_; }
  // Returns whether a packet may be sent from three parts of memory that are not registered.
  bool gathers() const {
    return info_->tx_attr->iov_limit >= 3 && !(info_->domain_attr->mr_mode & FI_MR_LOCAL);
  }

  // Returns whether the provider reads and writes memory of devices (FI_HMEM).
  bool reaches_devices() const { return info_->caps & FI_HMEM; }
  // Returns whether the provider reads and writes registered memory of peers by itself, and says
  // when a write has arrived; and the most bytes of one such access.
  bool has_remote_access() const { return remote_access_; }
  std::size_t remote_access_bytes_max() const { return info_->ep_attr->max_msg_size; }

  // Adds a peer's address to those that the provider knows.
  [[nodiscard]] Error add_peer(const Address& address, fi_addr_t* peer);

  // These send a packet: `inject` copies it before it returns; `send` sends it from up to three
  // parts of memory that stay as they are until `operation` is done.
  Started inject(fi_addr_t peer, const void* packet, std::size_t bytes);
  Started send(fi_addr_t peer, const iovec* parts, void** descriptions, std::size_t count,
               Operation& operation);
  // Writes into a peer's registered memory; the peer is told `number` once all of it has arrived.
  Started write(fi_addr_t peer, const void* data, std::size_t bytes, void* description,
                std::uint64_t address, std::uint64_t key, std::uint32_t number,
                Operation& operation);
  // Writes without a number, so that the operation is done when the data has arrived; or reads. It
  // may be called where the endpoint has remote access.
  Started access(fi_addr_t peer, bool writes, void* data, std::size_t bytes, void* description,
                 std::uint64_t address, std::uint64_t key, Operation& operation);

  // Registers memory for peers to write into, or for sending where the provider wants that.
  [[nodiscard]] Error register_target(void* memory, std::size_t bytes, Registration& made);
  [[nodiscard]] Error register_source(const void* memory, std::size_t bytes, Registration& made);
  // Register memory for peers' remote access, and memory of ours to or from which remote accesses
  // go.
  [[nodiscard]] Error register_exposed(void* memory, std::size_t bytes, Registration& made);
  [[nodiscard]] Error register_local(void* memory, std::size_t bytes, bool writes,
                                     Registration& made);
  // Registers memory of the CUDA device with this number, for sending and for peers to write into.
  // It may be called where the provider reaches devices.
  [[nodiscard]] Error register_device(void* memory, std::size_t bytes, int device,
                                      Registration& made);
  void forget(Registration& made);

  // Takes in what the provider has done: calls `done` of operations and `arrived` for writes of
  // peers, and keeps packets that came. Returns whether there was anything. The caller holds the
  // progress lock.
  bool poll(void (*arrived)(std::uint32_t number));
  // Returns packets in the order in which they came; null: none. The caller gives each back.
  ReceiveBuffer* next_packet();
  void give_back(ReceiveBuffer& buffer);

  // This is a descriptor that becomes readable with the next completion, if `may_wait` says so
  // first; -1: the provider has none.
  int wait_descriptor() const { return wait_descriptor_; }
  bool may_wait();
  // This is the error of the last failure, as libfabric's positive number.
  int last_error() const { return last_error_; }
  // This is the number of completions that were taken in so far.
  std::uint64_t completions() const { return platform::load_shared(completions_taken_); }

 private:
  Error open_all();
  Error post_buffers(std::size_t count);
  bool post(ReceiveBuffer& buffer);
  void post_again();
  bool read_error();
  Started explain(const char* what, long code);
  // `device`: the number of the device whose memory it is; `host`: it is host memory.
  static constexpr int host = -1;
  Error register_memory(void* memory, std::size_t bytes, std::uint64_t access, Registration& made,
                        int device = host);
  int make_region(void* memory, std::size_t bytes, std::uint64_t access, int device, fid_mr** made);

  const Library* library_ = nullptr;
  fi_info* info_ = nullptr;
  fid_fabric* fabric_ = nullptr;
  fid_domain* domain_ = nullptr;
  fid_av* addresses_ = nullptr;
  fid_cq* completions_ = nullptr;
  fid_ep* endpoint_ = nullptr;
  ReceiveBuffer* buffers_ = nullptr;
  Registration buffers_registered_;
  ReceiveBuffer* unposted_ = nullptr;  // the provider had no space for them
  ReceiveBuffer* first_ = nullptr;
  ReceiveBuffer* last_ = nullptr;
  Address address_;
  bool remote_access_ = false, needs_looks_ = false;
  int wait_descriptor_ = -1;
  int last_error_ = 0;
  std::uint64_t completions_taken_ = 0;
  platform::Lock lock_;
};

}  // namespace baton::transport::network
