#define _GNU_SOURCE /* dlvsym */
#include "lab/deposit/raw.h"

#include <dlfcn.h>
#include <mpi.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { posted_max = 256, address_max = 128 };

/* Where the peer is, and its memory. */
struct endpoint_address {
  unsigned char address[address_max];
  uint64_t memory, key;
};
struct ring_address {
  uint64_t memory, key;
};

static struct fi_info* info;
static struct fid_fabric* fabric;
static struct fid_domain* domain;
static struct fid_av* addresses;
static struct fid_cq* completions;
static struct fid_ep* endpoint;
static struct fid_mr *out_region, *in_region;
static fi_addr_t peer_address;
static struct endpoint_address peer_endpoint;
static char *out_memory, *in_memory, *ring, *packed;
static struct fid_mr *ring_region, *packed_region;
static struct ring_address peer_ring;
static long arrived, sends_left, peer_rank;
static struct fi_context2 receives[posted_max], sends[posted_max];
static long receive_number, send_number;
static char name[128];

static void refuse(const char* what, long code) {
  fprintf(stderr, "baton-network-live: libfabric refuses %s (%ld)\n", what, code);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

static void check(const char* what, long code) {
  if (code != 0) refuse(what, code);
}

static void* find(void* library, const char* function, const char* version) {
  void* found = dlvsym(library, function, version);
  if (!found) refuse(function, 0);
  return found;
}

/* All that libfabric offers with what we need; opens it. */
static struct fi_info* offers(void** opened) {
  const char* file = getenv("BATON_LIBFABRIC");
  void* library = dlopen(file && *file ? file : "libfabric.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) refuse("to be opened", 0);
  *opened = library;
  int (*get)(uint32_t, const char*, const char*, uint64_t, const struct fi_info*,
             struct fi_info**) = find(library, "fi_getinfo", "FABRIC_1.3");
  struct fi_info* (*duplicate)(const struct fi_info*) = find(library, "fi_dupinfo", "FABRIC_1.3");
  struct fi_info *hints = duplicate(NULL), *all = NULL;
  hints->caps =
      FI_MSG | FI_RMA | FI_SEND | FI_RECV | FI_WRITE | FI_REMOTE_WRITE | FI_READ | FI_REMOTE_READ;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->domain_attr->mr_mode =
      FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  hints->domain_attr->cq_data_size = sizeof(uint32_t);
  check("to list its providers", get(FI_VERSION(1, 17), NULL, NULL, 0, hints, &all));
  return all;
}

void raw_print_offers(void) {
  void* library;
  for (const struct fi_info* one = offers(&library); one; one = one->next)
    if (one->addr_format != FI_SOCKADDR_IN6)
      printf("offer %s %s %d\n", one->fabric_attr->prov_name, one->domain_attr->name,
             one->ep_attr->protocol == FI_PROTO_XNET);
}

static void choose(const char* interface) {
  void* library;
  struct fi_info* all = offers(&library);
  int (*open_fabric)(struct fi_fabric_attr*, struct fid_fabric**, void*) =
      find(library, "fi_fabric", "FABRIC_1.1");
  uint32_t (*version)(void) = find(library, "fi_version", "FABRIC_1.0");
  const char* wanted = getenv("BATON_NETWORK_PROVIDER");
  for (info = all; info; info = info->next) {
    const char* provider = info->fabric_attr->prov_name;
    int fits = wanted && *wanted ? strcmp(provider, wanted) == 0
                                 : info->ep_attr->protocol == FI_PROTO_XNET;
    if (fits && strcmp(info->domain_attr->name, interface) == 0 &&
        info->addr_format != FI_SOCKADDR_IN6)
      break;
  }
  if (!info) refuse("a provider on that interface", 0);
  info->domain_attr->threading = FI_THREAD_DOMAIN;
  snprintf(name, sizeof name, "%s on %s, libfabric %u.%u", info->fabric_attr->prov_name, interface,
           FI_MAJOR(version()), FI_MINOR(version()));
  check("to open its fabric", open_fabric(info->fabric_attr, &fabric, NULL));
}

static struct fid_mr* registered(void* memory, size_t bytes, uint64_t access, uint64_t key) {
  struct fid_mr* region;
  check("memory", fi_mr_reg(domain, memory, bytes, access, 0, key, 0, &region, NULL));
  if (info->domain_attr->mr_mode & FI_MR_ENDPOINT) {
    check("memory", fi_mr_bind(region, &endpoint->fid, 0));
    check("memory", fi_mr_enable(region));
  }
  return region;
}

/* As the peer names it. */
static uint64_t remote_address(const char* memory) {
  return info->domain_attr->mr_mode & FI_MR_VIRT_ADDR ? (uintptr_t)memory : 0;
}

void raw_open(const char* interface, int peer, size_t most, char* out, char* in) {
  choose(interface);
  peer_rank = peer;
  out_memory = out;
  in_memory = in;
  struct fi_av_attr for_addresses = {.type = info->domain_attr->av_type};
  struct fi_cq_attr for_completions = {.size = 1024, .format = FI_CQ_FORMAT_DATA};
  check("a domain", fi_domain(fabric, info, &domain, NULL));
  check("a table of addresses", fi_av_open(domain, &for_addresses, &addresses, NULL));
  check("a completion queue", fi_cq_open(domain, &for_completions, &completions, NULL));
  check("an endpoint", fi_endpoint(domain, info, &endpoint, NULL));
  check("an endpoint", fi_ep_bind(endpoint, &addresses->fid, 0));
  check("an endpoint", fi_ep_bind(endpoint, &completions->fid, FI_TRANSMIT | FI_RECV));
  check("an endpoint", fi_enable(endpoint));
  out_region = registered(out, most, FI_SEND | FI_WRITE, 1);
  in_region = registered(in, most, FI_RECV | FI_REMOTE_WRITE, 2);
  struct endpoint_address own = {.key = fi_mr_key(in_region)};
  own.memory = remote_address(in);
  size_t bytes = address_max;
  check("its address", fi_getname(&endpoint->fid, own.address, &bytes));
  MPI_Sendrecv(&own, sizeof own, MPI_BYTE, peer, 0, &peer_endpoint, sizeof peer_endpoint, MPI_BYTE,
               peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (fi_av_insert(addresses, peer_endpoint.address, 1, &peer_address, 0, NULL) != 1)
    refuse("the peer's address", 0);
}

const char* raw_name(void) {
  return name;
}

static void poll_once(void) {
  struct fi_cq_data_entry entries[16];
  ssize_t count = fi_cq_read(completions, entries, 16);
  if (count == -FI_EAGAIN) return;
  if (count < 0) refuse("what was begun", count);
  for (ssize_t i = 0; i < count; ++i) {
    if (entries[i].flags & (FI_RECV | FI_REMOTE_WRITE))
      ++arrived;
    else
      --sends_left;
  }
}

/* Looks for what has come. After many looks in vain it gives up the CPU for a while: whoever is
 * waited for may need it. */
static void look(long* in_vain) {
  enum { patience = 1000 };
  const struct timespec while_others_run = {.tv_nsec = 50000};
  poll_once();
  if (++*in_vain > patience) nanosleep(&while_others_run, NULL);
}

static void again(long code, const char* what) {
  if (code != -FI_EAGAIN) refuse(what, code);
  poll_once();
}

void raw_receive(size_t bytes) {
  long code;
  while ((code = fi_recv(endpoint, in_memory, bytes, fi_mr_desc(in_region), FI_ADDR_UNSPEC,
                         &receives[receive_number % posted_max])) != 0)
    again(code, "a receive");
  ++receive_number;
}

void raw_send(size_t bytes) {
  long code;
  if (bytes <= info->tx_attr->inject_size) {
    while ((code = fi_inject(endpoint, out_memory, bytes, peer_address)) != 0)
      again(code, "a short message");
    return;
  }
  while ((code = fi_send(endpoint, out_memory, bytes, fi_mr_desc(out_region), peer_address,
                         &sends[send_number % posted_max])) != 0)
    again(code, "a message");
  ++send_number;
  ++sends_left;
}

void raw_write(size_t bytes) {
  long code;
  while ((code = fi_writedata(endpoint, out_memory, bytes, fi_mr_desc(out_region), 1, peer_address,
                              peer_endpoint.memory, peer_endpoint.key,
                              &sends[send_number % posted_max])) != 0)
    again(code, "a write");
  ++send_number;
  ++sends_left;
}

void raw_await(long messages) {
  long in_vain = 0;
  while (arrived < messages) look(&in_vain);
  arrived -= messages;
}

void raw_finish_sends(void) {
  long in_vain = 0;
  while (sends_left > 0) look(&in_vain);
}

void raw_write_short(size_t bytes) {
  long code;
  if (bytes > info->tx_attr->inject_size) {
    raw_write(bytes);
    return;
  }
  while ((code = fi_inject_writedata(endpoint, out_memory, bytes, 1, peer_address,
                                     peer_endpoint.memory, peer_endpoint.key)) != 0)
    again(code, "a short write");
}

int raw_keeps_order(size_t bytes) {
  const uint64_t kept = info->tx_attr->msg_order & info->rx_attr->msg_order;
  return bytes <= sizeof(uint64_t) || ((kept & (FI_ORDER_WAW | FI_ORDER_RMA_WAW)) != 0 &&
                                       info->ep_attr->max_order_waw_size >= bytes);
}

void raw_write_numbered(size_t bytes, uint64_t number) {
  const size_t before = bytes - sizeof number;
  long code;
  memcpy(out_memory + before, &number, sizeof number);
  if (before > 0) {
    while ((code = fi_write(endpoint, out_memory, before, fi_mr_desc(out_region), peer_address,
                            peer_endpoint.memory, peer_endpoint.key,
                            &sends[send_number % posted_max])) != 0)
      again(code, "a write");
    ++send_number;
    ++sends_left;
  }
  if (sizeof number <= info->tx_attr->inject_size) {
    while ((code = fi_inject_write(endpoint, out_memory + before, sizeof number, peer_address,
                                   peer_endpoint.memory + before, peer_endpoint.key)) != 0)
      again(code, "a short write");
    return;
  }
  while ((code = fi_write(endpoint, out_memory + before, sizeof number, fi_mr_desc(out_region),
                          peer_address, peer_endpoint.memory + before, peer_endpoint.key,
                          &sends[send_number % posted_max])) != 0)
    again(code, "a write");
  ++send_number;
  ++sends_left;
}

void raw_await_number(size_t bytes, uint64_t number) {
  const uint64_t* place = (const uint64_t*)(in_memory + bytes - sizeof number);
  /* Also a provider that says that it makes progress by itself may do so only here (net). */
  long in_vain = 0;
  while (__atomic_load_n(place, __ATOMIC_ACQUIRE) != number) look(&in_vain);
}

char* raw_ring(void) {
  return ring;
}

char* raw_packed(void) {
  return packed;
}

void raw_open_ring(size_t bytes) {
  if (posix_memalign((void**)&ring, 4096, bytes) || posix_memalign((void**)&packed, 4096, bytes))
    refuse("to have memory for a ring", 0);
  memset(ring, 0, bytes);
  memset(packed, 0, bytes);
  ring_region = registered(ring, bytes, FI_RECV | FI_REMOTE_WRITE | FI_REMOTE_READ | FI_READ, 3);
  packed_region = registered(packed, bytes, FI_SEND | FI_WRITE | FI_READ, 4);
  const struct ring_address own = {remote_address(ring), fi_mr_key(ring_region)};
  MPI_Sendrecv(&own, sizeof own, MPI_BYTE, (int)peer_rank, 0, &peer_ring, sizeof peer_ring,
               MPI_BYTE, (int)peer_rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void raw_put(int is_packed, size_t from, size_t to, size_t bytes) {
  const char* begin = is_packed ? packed + from : out_memory;
  struct fid_mr* region = is_packed ? packed_region : out_region;
  long code;
  while ((code = fi_writedata(endpoint, begin, bytes, fi_mr_desc(region), 1, peer_address,
                              peer_ring.memory + to, peer_ring.key,
                              &sends[send_number % posted_max])) != 0)
    again(code, "a write to the ring");
  ++send_number;
  ++sends_left;
}

void raw_read_head(void) {
  raw_finish_sends();
  long code;
  while ((code = fi_read(endpoint, packed, raw_head_bytes, fi_mr_desc(packed_region), peer_address,
                         peer_ring.memory, peer_ring.key, &sends[send_number % posted_max])) != 0)
    again(code, "a read of the head");
  ++send_number;
  ++sends_left;
  raw_finish_sends();
}

static void send_some(size_t from, size_t header, size_t bytes) {
  struct iovec parts[] = {{packed + from, header}, {out_memory, bytes}};
  void* regions[] = {fi_mr_desc(packed_region), fi_mr_desc(out_region)};
  long code;
  while ((code = fi_sendv(endpoint, parts + (header == 0), regions + (header == 0),
                          (size_t)(header > 0) + (bytes > 0), peer_address,
                          &sends[send_number % posted_max])) != 0)
    again(code, "a message in parts");
  ++send_number;
  ++sends_left;
}

void raw_send_packed(size_t from, size_t bytes) {
  send_some(from, bytes, 0);
}

void raw_send_parts(size_t from, size_t header, size_t bytes) {
  send_some(from, header, bytes);
}

void raw_receive_parts(size_t to, size_t header, size_t bytes) {
  struct iovec parts[] = {{ring + to, header}, {in_memory, bytes}};
  void* regions[] = {fi_mr_desc(ring_region), fi_mr_desc(in_region)};
  long code;
  while ((code = fi_recvv(endpoint, parts + (header == 0), regions + (header == 0),
                          (size_t)(header > 0) + (bytes > 0), FI_ADDR_UNSPEC,
                          &receives[receive_number % posted_max])) != 0)
    again(code, "a receive in parts");
  ++receive_number;
}

void raw_close(void) {
  fi_close(&endpoint->fid);
  if (ring_region) {
    fi_close(&ring_region->fid);
    fi_close(&packed_region->fid);
    free(ring);
    free(packed);
  }
  fi_close(&out_region->fid);
  fi_close(&in_region->fid);
  fi_close(&completions->fid);
  fi_close(&addresses->fid);
  fi_close(&domain->fid);
  fi_close(&fabric->fid);
}
