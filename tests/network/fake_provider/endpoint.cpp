// An endpoint, as libfabric's calls reach it. What is posted is looked at here.
#include <rdma/fi_cm.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include "domain.hpp"
#include "rule.hpp"

namespace fake {

extern fi_ops_cm naming_calls;

namespace {

Domain& enabled_domain(fid_ep* id) {
  const Endpoint& endpoint = *static_cast<Endpoint*>(id);
  if (!endpoint.enabled) broken("an endpoint is used before it is enabled");
  return *endpoint.domain;
}

ssize_t receive(fid_ep* id, void* buffer, std::size_t bytes, void* description, fi_addr_t,
                void* context) {
  Domain& domain = enabled_domain(id);
  const Inside inside(domain);
  Region* region = domain.regions.local(description, buffer, bytes, FI_RECV, "a receive");
  if (!domain.receivers.has_space()) return -FI_EAGAIN;
  domain.contexts.begin(context, "a receive");
  domain.receivers.post(buffer, bytes, region, context);
  return 0;
}

// What sends, writes and reads have in common. `access`: FI_SEND, FI_WRITE or FI_READ.
ssize_t start(fid_ep* id, const iovec* parts, void** descriptions, std::size_t count, fi_addr_t to,
              ChunkHeader header, std::uint64_t access, void* context) {
  Domain& domain = enabled_domain(id);
  const Inside inside(domain);
  const char* what = access == FI_WRITE ? "a write" : access == FI_READ ? "a read" : "a send";
  const std::uint64_t name = name_of(domain, to);
  Completion completion;
  if (count > domain.personality.parts_max)
    broken("%s of %zu parts, the limit is %zu", what, count, domain.personality.parts_max);
  for (std::size_t i = 0; i < count; ++i) {
    Region* region = domain.regions.local(descriptions ? descriptions[i] : nullptr,
                                          parts[i].iov_base, parts[i].iov_len, access, what);
    iovec part = parts[i];
    if (region) part.iov_base = static_cast<char*>(part.iov_base) + region->to_view;
    completion.parts.push_back(part);
    completion.bytes += part.iov_len;
    completion.regions.push_back(region);
  }
  if (completion.bytes > message_bytes_max)
    broken("%s of %zu bytes, the limit is %zu", what, completion.bytes, message_bytes_max);
  if (!domain.senders.has_space()) return -FI_EAGAIN;
  domain.contexts.begin(context, what);
  completion.context = context;
  completion.flags = access | (access == FI_SEND ? FI_MSG : FI_RMA);
  if (access == FI_READ)
    domain.senders.read(name, header, std::move(completion));
  else
    domain.senders.send(name, header, std::move(completion));
  return 0;
}

ssize_t send_parts(fid_ep* id, const iovec* parts, void** descriptions, std::size_t count,
                   fi_addr_t to, void* context) {
  return start(id, parts, descriptions, count, to, {}, FI_SEND, context);
}

ssize_t send(fid_ep* id, const void* buffer, std::size_t bytes, void* description, fi_addr_t to,
             void* context) {
  const iovec part{const_cast<void*>(buffer), bytes};
  return start(id, &part, &description, 1, to, {}, FI_SEND, context);
}

ssize_t inject(fid_ep* id, const void* buffer, std::size_t bytes, fi_addr_t to) {
  Domain& domain = enabled_domain(id);
  const Inside inside(domain);
  if (bytes > domain.personality.inject_bytes)
    broken("%zu bytes are injected, the limit is %zu", bytes, domain.personality.inject_bytes);
  const std::uint64_t name = name_of(domain, to);
  if (!domain.senders.has_space()) return -FI_EAGAIN;
  domain.senders.inject(name, {}, buffer, bytes);
  return 0;
}

ssize_t write_with_data(fid_ep* id, const void* buffer, std::size_t bytes, void* description,
                        std::uint64_t data, fi_addr_t to, std::uint64_t address, std::uint64_t key,
                        void* context) {
  if (data >> 32) broken("a write brings data of more than four bytes");
  const iovec part{const_cast<void*>(buffer), bytes};
  ChunkHeader header;
  header.kind = Kind::write;
  header.address = address;
  header.key = key;
  header.data = static_cast<std::uint32_t>(data);
  return start(id, &part, &description, 1, to, header, FI_WRITE, context);
}

// A write that is told when it is there, or a read.
ssize_t access_memory(fid_ep* id, const fi_msg_rma* message, std::uint64_t flags, Kind kind,
                      std::uint64_t access) {
  const char* what = access == FI_WRITE ? "a write" : "a read";
  if (!enabled_domain(id).personality.rma) return -FI_EOPNOTSUPP;
  const std::uint64_t wanted =
      FI_COMPLETION | (access == FI_WRITE ? std::uint64_t{FI_DELIVERY_COMPLETE} : 0);
  if (flags != wanted) broken("%s with other flags than this provider knows", what);
  if (message->iov_count != 1 || message->rma_iov_count != 1 ||
      message->rma_iov->len != message->msg_iov->iov_len)
    broken("%s between places that are not of one length", what);
  ChunkHeader header;
  header.kind = kind;
  header.address = message->rma_iov->addr;
  header.key = message->rma_iov->key;
  header.wanted = access == FI_READ ? message->rma_iov->len : 0;
  return start(id, message->msg_iov, message->desc, 1, message->addr, header, access,
               message->context);
}

ssize_t write_message(fid_ep* id, const fi_msg_rma* message, std::uint64_t flags) {
  return access_memory(id, message, flags, Kind::delivered_write, FI_WRITE);
}

ssize_t read_message(fid_ep* id, const fi_msg_rma* message, std::uint64_t flags) {
  return access_memory(id, message, flags, Kind::read, FI_READ);
}

fi_ops_msg message_calls{.size = sizeof(fi_ops_msg),
                         .recv = receive,
                         .send = send,
                         .sendv = send_parts,
                         .inject = inject};
fi_ops_rma write_calls{.size = sizeof(fi_ops_rma),
                       .readmsg = read_message,
                       .writemsg = write_message,
                       .writedata = write_with_data};
fi_ops_ep option_calls{.size = sizeof(fi_ops_ep)};

int close_endpoint(fid* id) {
  auto& endpoint = object_of<Endpoint, fid_ep>(id);
  Domain& domain = *endpoint.domain;
  const Inside inside(domain);
  domain.senders.forget_all();
  domain.receivers.forget_all();
  domain.completions.forget_all();
  domain.contexts.forget_all();
  domain.regions.forget_uses();
  domain.endpoint = nullptr;
  delete &endpoint;
  return 0;
}

int bind_endpoint(fid* id, fid* to, std::uint64_t flags) {
  auto& endpoint = object_of<Endpoint, fid_ep>(id);
  if (to->fclass == FI_CLASS_AV)
    endpoint.has_addresses = true;
  else if (to->fclass == FI_CLASS_CQ && (flags & FI_TRANSMIT) && (flags & FI_RECV))
    endpoint.has_queue = true;
  else
    return -FI_EINVAL;
  return 0;
}

int control_endpoint(fid* id, int command, void*) {
  auto& endpoint = object_of<Endpoint, fid_ep>(id);
  if (command != FI_ENABLE) return -FI_ENOSYS;
  if (!endpoint.has_addresses || !endpoint.has_queue)
    broken("an endpoint is enabled without a table of addresses or a queue");
  endpoint.enabled = true;
  return 0;
}

fi_ops endpoint_object{.size = sizeof(fi_ops),
                       .close = close_endpoint,
                       .bind = bind_endpoint,
                       .control = control_endpoint};

}  // namespace

int open_endpoint(fid_domain* where, fi_info*, fid_ep** opened, void* context) {
  auto& domain = *static_cast<Domain*>(where);
  if (domain.endpoint) return -FI_EBUSY;
  auto* endpoint = new Endpoint;
  endpoint->fid = {FI_CLASS_EP, context, &endpoint_object};
  endpoint->ops = &option_calls;
  endpoint->cm = &naming_calls;
  endpoint->msg = &message_calls;
  endpoint->rma = &write_calls;
  endpoint->domain = &domain;
  domain.endpoint = endpoint;
  *opened = endpoint;
  return 0;
}

}  // namespace fake
