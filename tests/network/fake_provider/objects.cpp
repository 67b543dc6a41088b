// Registrations and completion queues, as libfabric's calls reach them.
#include <rdma/fi_errno.h>

#include "domain.hpp"
#include "rule.hpp"

namespace fake {

namespace {

int close_region(fid* id) {
  auto& region = object_of<Region, fid_mr>(id);
  const Inside inside(*region.domain);
  region.domain->regions.remove(region);
  delete &region;
  return 0;
}

int bind_region(fid* id, fid* to, std::uint64_t) {
  auto& region = object_of<Region, fid_mr>(id);
  const Inside inside(*region.domain);
  if (to != &region.domain->endpoint->fid) broken("a region is bound to what is no endpoint");
  region.bound = true;
  return 0;
}

int control_region(fid* id, int command, void*) {
  auto& region = object_of<Region, fid_mr>(id);
  const Inside inside(*region.domain);
  if (command != FI_ENABLE) return -FI_ENOSYS;
  if (!region.bound) broken("a region is enabled without an endpoint (FI_MR_ENDPOINT)");
  region.enabled = true;
  return 0;
}

fi_ops region_object{
    .size = sizeof(fi_ops), .close = close_region, .bind = bind_region, .control = control_region};

// `device`: the number of the device that it is said to belong to; -1: it is said to be the host's.
int add(Domain& domain, const void* memory, std::size_t bytes, std::uint64_t access,
        std::uint64_t key, int device, fid_mr** made, void* context) {
  const DevicePlace place = device_place(memory);
  if (place.id == 0 && device >= 0) broken("host memory is registered as a device's");
  if (place.id != 0 && device < 0) broken("device memory is registered as the host's");
  if (place.id != 0 && device != place.device)
    broken("memory of device %d is registered as that of device %d", place.device, device);
  if (place.id != 0 && domain.personality.hmem_full) return -FI_ENOMEM;
  auto* region = new Region;
  region->fid = {FI_CLASS_MR, context, &region_object};
  region->domain = &domain;
  region->begin = static_cast<char*>(const_cast<void*>(memory));
  region->bytes = bytes;
  region->access = access;
  region->device_id = place.id;
  if (place.id != 0) region->to_view = place.view - region->begin;
  if (const int code = domain.regions.add(*region, key)) {
    delete region;
    return code;
  }
  *made = region;
  return 0;
}

int add_region(fid* id, const void* memory, std::size_t bytes, std::uint64_t access, std::uint64_t,
               std::uint64_t key, std::uint64_t, fid_mr** made, void* context) {
  auto& domain = object_of<Domain, fid_domain>(id);
  const Inside inside(domain);
  return add(domain, memory, bytes, access, key, -1, made, context);
}

int add_region_of(fid* id, const fi_mr_attr* attributes, std::uint64_t, fid_mr** made) {
  auto& domain = object_of<Domain, fid_domain>(id);
  const Inside inside(domain);
  if (attributes->iov_count != 1) return -FI_EINVAL;
  if (attributes->iface == FI_HMEM_CUDA && !domain.reaches_devices)
    broken("device memory is registered at a domain without FI_HMEM");
  if (attributes->iface != FI_HMEM_CUDA && attributes->iface != FI_HMEM_SYSTEM) return -FI_ENOSYS;
  const int device = attributes->iface == FI_HMEM_CUDA ? attributes->device.cuda : -1;
  return add(domain, attributes->mr_iov->iov_base, attributes->mr_iov->iov_len, attributes->access,
             attributes->requested_key, device, made, attributes->context);
}

// Manual progress: all that happens happens here.
ssize_t read_queue(fid_cq* id, void* entries, std::size_t most) {
  Domain& domain = *static_cast<Queue*>(id)->domain;
  const Inside inside(domain);
  domain.receivers.progress();
  domain.senders.progress();
  return domain.completions.take(static_cast<fi_cq_data_entry*>(entries), most);
}

ssize_t read_error(fid_cq* id, fi_cq_err_entry* entry, std::uint64_t) {
  Domain& domain = *static_cast<Queue*>(id)->domain;
  const Inside inside(domain);
  return domain.completions.take_error(*entry);
}

int close_queue(fid* id) {
  auto& queue = object_of<Queue, fid_cq>(id);
  if (queue.domain->endpoint) broken("a completion queue is closed before its endpoint");
  queue.domain->queue = nullptr;
  delete &queue;
  return 0;
}

int control_queue(fid* id, int command, void* answer) {
  const Queue& queue = object_of<Queue, fid_cq>(id);
  if (command != FI_GETWAIT || !queue.can_wait) return -FI_ENOSYS;
  *static_cast<int*>(answer) = queue.domain->wire.descriptor();
  return 0;
}

fi_ops queue_object{.size = sizeof(fi_ops), .close = close_queue, .control = control_queue};
fi_ops_cq queue_calls{.size = sizeof(fi_ops_cq), .read = read_queue, .readerr = read_error};

}  // namespace

fi_ops_mr region_calls{.size = sizeof(fi_ops_mr), .reg = add_region, .regattr = add_region_of};

int open_queue(fid_domain* where, fi_cq_attr* attributes, fid_cq** opened, void* context) {
  auto& domain = *static_cast<Domain*>(where);
  if (attributes->format != FI_CQ_FORMAT_DATA) return -FI_ENOSYS;
  const bool to_wait = attributes->wait_obj == FI_WAIT_FD;
  if (to_wait ? domain.personality.blind : attributes->wait_obj != FI_WAIT_NONE) return -FI_ENOSYS;
  auto* queue = new Queue;
  queue->fid = {FI_CLASS_CQ, context, &queue_object};
  queue->ops = &queue_calls;
  queue->domain = &domain;
  queue->can_wait = to_wait;
  domain.queue = queue;
  *opened = queue;
  return 0;
}

// What no datagram announces has to be asked for by reading.
int may_wait(fid_fabric*, fid** queues, int count) {
  for (int i = 0; i < count; ++i) {
    const Queue& queue = object_of<Queue, fid_cq>(queues[i]);
    Domain& domain = *queue.domain;
    const Inside inside(domain);
    if (!queue.can_wait) broken("who asks to wait has a queue that has nothing to wait for");
    if (!domain.completions.empty() || !domain.senders.empty() || domain.receivers.can_deliver())
      return -FI_EAGAIN;
  }
  return 0;
}

}  // namespace fake
