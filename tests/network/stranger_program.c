/* A stranger that speaks as ranks do: an endpoint of libfabric's that sends packets to a rank and
 * writes into it, without the job's key. usage: stranger_program ADDRESS PORT. Says "pestered" in
 * the end, whatever became of it all. */
#include <arpa/inet.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { longest = 200000, patience_ms = 50 };

static struct fi_info* info;
static struct fid_fabric* fabric;
static struct fid_domain* domain;
static struct fid_av* addresses;
static struct fid_cq* completions;
static struct fid_ep* endpoint;
static fi_addr_t rank;
static unsigned char data[longest];

static void must(long code, const char* what) {
  if (code >= 0) return;
  fprintf(stderr, "stranger: %s: %s\n", what, fi_strerror((int)-code));
  exit(1);
}

static void open_endpoint(void) {
  struct fi_info* hints = fi_allocinfo();
  struct fi_cq_attr of_completions = {.format = FI_CQ_FORMAT_DATA};
  struct fi_av_attr of_addresses = {.type = FI_AV_TABLE};
  hints->caps = FI_MSG | FI_RMA;
  hints->ep_attr->type = FI_EP_RDM;
  hints->addr_format = FI_SOCKADDR_IN;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
  hints->domain_attr->name = strdup("eth0");
  must(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &info), "getinfo");
  /* As the ranks have it: reliable datagrams by itself. */
  while (info && info->ep_attr->protocol != FI_PROTO_XNET) info = info->next;
  must(info ? 0 : -FI_ENODATA, "native TCP");
  must(fi_fabric(info->fabric_attr, &fabric, NULL), "fabric");
  must(fi_domain(fabric, info, &domain, NULL), "domain");
  must(fi_av_open(domain, &of_addresses, &addresses, NULL), "av");
  must(fi_cq_open(domain, &of_completions, &completions, NULL), "cq");
  must(fi_endpoint(domain, info, &endpoint, NULL), "endpoint");
  must(fi_ep_bind(endpoint, &addresses->fid, 0), "bind");
  must(fi_ep_bind(endpoint, &completions->fid, FI_TRANSMIT | FI_RECV), "bind");
  must(fi_enable(endpoint), "enable");
  fi_freeinfo(hints);
}

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Until it is done, failed, or taking long. */
static void finish(void) {
  struct fi_cq_data_entry entry;
  struct fi_cq_err_entry error;
  const int64_t limit = now_ms() + patience_ms;
  while (now_ms() < limit) {
    const ssize_t count = fi_cq_read(completions, &entry, 1);
    if (count == -FI_EAGAIN) continue;
    if (count == -FI_EAVAIL) fi_cq_readerr(completions, &error, 0);
    return;
  }
}

static void send_bytes(size_t bytes) {
  const int64_t limit = now_ms() + patience_ms;
  ssize_t code;
  while ((code = fi_send(endpoint, data, bytes, NULL, rank, NULL)) == -FI_EAGAIN &&
         now_ms() < limit)
    fi_cq_read(completions, NULL, 0);
  if (code == 0) finish();
}

static void write_bytes(uint64_t address, uint64_t key, uint64_t number) {
  const int64_t limit = now_ms() + patience_ms;
  ssize_t code;
  while ((code = fi_writedata(endpoint, data, 64, NULL, number, rank, address, key, NULL)) ==
             -FI_EAGAIN &&
         now_ms() < limit)
    fi_cq_read(completions, NULL, 0);
  if (code == 0) finish();
}

int main(int argc, char** argv) {
  static const size_t lengths[] = {24, 0, 40, 1, 23, 25, 48, 1000, 65576, 65577, longest};
  struct sockaddr_in target = {.sin_family = AF_INET};
  if (argc != 3 || inet_pton(AF_INET, argv[1], &target.sin_addr) != 1) return 2;
  target.sin_port = htons((uint16_t)atoi(argv[2]));
  open_endpoint();
  must(fi_av_insert(addresses, &target, 1, &rank, 0, NULL), "address");
  for (size_t i = 0; i < longest; ++i) data[i] = (unsigned char)(i * 2654435761u >> 11);
  for (int round = 0; round < 8; ++round)
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
      /* Of a packet of rank 0 or 1, the sender and the length, so that only its proof is wrong. */
      const uint32_t header[] = {(uint32_t)round, (uint32_t)round % 4, (uint32_t)lengths[i] - 24,
                                 0};
      memcpy(data + 8, header, sizeof header);
      send_bytes(lengths[i]);
    }
  for (uint64_t number = 0; number < 4; ++number) {
    write_bytes(0, number, number);
    write_bytes((uint64_t)(uintptr_t)data, 0x123456789abcdef0u + number, number);
  }
  puts("pestered");
  return 0;
}
