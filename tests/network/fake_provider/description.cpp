// What the provider says of itself (fi_getinfo), and copies of such descriptions.
#include <rdma/fi_errno.h>

#include <cstdlib>
#include <cstring>

#include "domain.hpp"
#include "rule.hpp"

namespace fake {

namespace {

template <class Type>
Type* copy_of(const Type* original) {
  auto* made = static_cast<Type*>(std::calloc(1, sizeof(Type)));
  if (made && original) *made = *original;
  return made;
}

void copy_text(char*& text) {
  if (text) text = ::strdup(text);
}

std::uint64_t capabilities_of(const Personality& personality) {
  return FI_MSG | FI_RMA | FI_SEND | FI_RECV | FI_WRITE | FI_REMOTE_WRITE |
         (personality.rma ? FI_READ | FI_REMOTE_READ : 0) | (personality.hmem ? FI_HMEM : 0);
}

// What this provider demands: whether the hints allow it.
bool is_allowed(const Personality& personality, const fi_info& hints) {
  const std::uint64_t capabilities = capabilities_of(personality);
  const std::uint64_t flags = personality.rma ? FI_DELIVERY_COMPLETE : 0;
  return !(hints.tx_attr->op_flags & ~flags) && (hints.mode & FI_CONTEXT2) &&
         !(hints.caps & ~capabilities) &&
         (!(hints.caps & FI_HMEM) || (hints.domain_attr->mr_mode & FI_MR_HMEM)) &&
         hints.ep_attr->type == FI_EP_RDM &&
         (hints.domain_attr->mr_mode & personality.mr_mode) == personality.mr_mode &&
         !((hints.tx_attr->msg_order | hints.rx_attr->msg_order) & ~FI_ORDER_SAS);
}

void describe(const Personality& personality, int interface, bool reaches_devices, fi_info& info) {
  info.caps = capabilities_of(personality) & ~(reaches_devices ? 0 : FI_HMEM);
  info.mode = FI_CONTEXT2;
  info.addr_format = FI_ADDR_STR;
  info.fabric_attr->prov_name = ::strdup("fake");
  info.fabric_attr->name = ::strdup("fake");
  info.fabric_attr->api_version = FI_VERSION(1, 17);
  fi_domain_attr& domain = *info.domain_attr;
  constexpr const char* names[] = {"fake0", "fake1", "fake2"};
  domain.name = ::strdup(names[interface]);
  domain.threading = FI_THREAD_DOMAIN;
  domain.data_progress = domain.control_progress = FI_PROGRESS_MANUAL;
  domain.av_type = FI_AV_MAP;
  domain.mr_mode = personality.mr_mode | (reaches_devices ? FI_MR_HMEM : 0);
  domain.mr_key_size = personality.key_bytes;
  domain.cq_data_size = sizeof(std::uint32_t);
  domain.resource_mgmt = FI_RM_ENABLED;
  info.ep_attr->type = FI_EP_RDM;
  if (personality.crossing) info.ep_attr->protocol = FI_PROTO_XNET;
  info.ep_attr->max_msg_size = message_bytes_max;
  info.tx_attr->msg_order = info.rx_attr->msg_order = FI_ORDER_SAS;
  info.tx_attr->inject_size = personality.inject_bytes;
  info.tx_attr->size = personality.operations_max;
  info.tx_attr->iov_limit = personality.parts_max;
  info.rx_attr->size = personality.receives_max;
  info.rx_attr->iov_limit = 1;
}

int close_nothing(fid*) {
  return 0;
}

fi_ops fabric_object{.size = sizeof(fi_ops), .close = close_nothing};

}  // namespace

int may_wait(fid_fabric* fabric, fid** queues, int count);

namespace {

fi_ops_fabric fabric_calls{
    .size = sizeof(fi_ops_fabric), .domain = open_domain, .trywait = may_wait};
fid_fabric the_fabric{
    .fid = {FI_CLASS_FABRIC, nullptr, &fabric_object}, .ops = &fabric_calls, .api_version = 0};

}  // namespace

}  // namespace fake

extern "C" {

fi_info* fi_dupinfo(const fi_info* info) {
  fi_info* made = fake::copy_of(info);
  if (!made) return nullptr;
  made->next = nullptr;
  made->nic = nullptr;
  made->src_addr = made->dest_addr = nullptr;
  made->src_addrlen = made->dest_addrlen = 0;
  made->tx_attr = fake::copy_of(made->tx_attr);
  made->rx_attr = fake::copy_of(made->rx_attr);
  made->ep_attr = fake::copy_of(made->ep_attr);
  made->domain_attr = fake::copy_of(made->domain_attr);
  made->fabric_attr = fake::copy_of(made->fabric_attr);
  fake::copy_text(made->domain_attr->name);
  fake::copy_text(made->fabric_attr->name);
  fake::copy_text(made->fabric_attr->prov_name);
  return made;
}

void fi_freeinfo(fi_info* info) {
  while (info) {
    fi_info* next = info->next;
    std::free(info->domain_attr->name);
    std::free(info->fabric_attr->name);
    std::free(info->fabric_attr->prov_name);
    std::free(info->tx_attr);
    std::free(info->rx_attr);
    std::free(info->ep_attr);
    std::free(info->domain_attr);
    std::free(info->fabric_attr);
    std::free(info);
    info = next;
  }
}

int fi_getinfo(std::uint32_t version, const char*, const char*, std::uint64_t, const fi_info* hints,
               fi_info** info) {
  const fake::Personality personality = fake::read_personality();
  if (FI_MAJOR(version) != 1) return -FI_ENOSYS;
  if (hints && !fake::is_allowed(personality, *hints)) return -FI_ENODATA;
  for (int i = 0; i < personality.interfaces; ++i) {
    *info = fi_dupinfo(nullptr);
    if (!*info) return -FI_ENOMEM;
    fake::describe(personality, i, hints && (hints->caps & FI_HMEM), **info);
    info = &(*info)->next;
  }
  return 0;
}

int fi_fabric(fi_fabric_attr*, fid_fabric** fabric, void*) {
  *fabric = &fake::the_fabric;
  return 0;
}

const char* fi_strerror(int error) {
  return error < 256 ? std::strerror(error) : "an error of libfabric's own";
}

std::uint32_t fi_version() {
  return FI_VERSION(1, 17);
}

}  // extern "C"
