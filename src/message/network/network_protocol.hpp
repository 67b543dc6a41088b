// The protocol of processes on other nodes: eager messages go with their envelope, longer ones are
// written straight into the receive buffer once it is known (RTS, CTS, remote writes). Only in jobs
// that span nodes. Used by the files of this folder.
#pragma once

#include "message/network/network_messages.hpp"

namespace baton::message {

class NetworkProtocol final : public NetworkMessages {
 public:
  // Opens the network and introduces this process to the others. Explained.
  [[nodiscard]] Error set_up();
  ~NetworkProtocol() override;

  Peer* make_peer(Process process) override;
  void forget_peer(Peer* peer) override;
  Error begin(Peer& peer) override;
  bool put(Peer& peer, Request& request) override;
  bool put_active(Peer& peer, transport::Envelope envelope, const void* payload,
                  std::size_t bytes) override;
  bool arrive(ArrivedLine& line) override;
  void accept(UnexpectedMessage& unexpected, Request& receive) override;
  void advertise(const MatchQueue& queue, Request& receive, Peer& sender) override;
  bool close_advert(Request& receive) override;
  bool may_take_back(Request& receive) override;
  bool take_back_send(Request& send) override;
  void take_back_sends(bool (*is_doomed)(const Request& send), List<Request>& taken) override;
  lockfree::ChannelClass channel_of(Process process) override;
  void tell_channel(Process process) override;
  Error explain_loss(Process process, int error) const override;
  void end_lost(Peer& peer) override;
  void tell_of_death(Process process) override;
  void hear_of_death(Process process) override;
  void fail_request(Request& request, Error error) override;
  void expect_leaving(Leaving others) override;
  bool has_left() const override;
  void report(TrafficRecord& record) const override;
  bool advance() override;
  bool needs_progress() const override;
  void plan_sleep(SleepPlan& plan) override;
  void has_slept(const SleepPlan& plan, std::int64_t slept_ns) override;

  // Drops what is left of a process's packet, before the network forgets that process. Under the
  // progress lock.
  void drop_packet_of(Process process) { inbox_->drop_packet_of(process); }

 private:
  // A look costs a system call or two. Where nothing has come for a while, neighbours in memory are
  // looked at more often than the network.
  class LookGap {
   public:
    bool skips();
    void found(bool any) { in_vain_ = any ? 0 : in_vain_ + 1; }

   private:
    static constexpr std::uint32_t patience = 64, gap = 16;  // guess
    std::uint32_t in_vain_ = 0;
    std::uint32_t skipped_ = 0;
  };
  // The trust that the network's descriptor deserves. That of libfabric 1.17's own TCP provider
  // stays readable for good once it was: then nobody ever waits for it.
  class DescriptorTrust {
   public:
    bool deserved() const { return platform::load_shared(false_alarms_) < false_alarms_max; }
    // It was readable after so long; `completions` is what came from the network so far. Remote
    // writes and reads of peers' providers wake us without any. Any thread that has slept.
    void alarm(std::uint64_t completions, std::int64_t waited_ns);

   private:
    static constexpr int false_alarms_max = 20;  // guess
    platform::Lock lock_;
    std::uint64_t seen_ = 0;
    int false_alarms_ = 0;
  };
  bool add_descriptors(SleepPlan& plan);

  transport::network::NetworkInbox* inbox_ = nullptr;
  std::uint32_t puts_unlooked_ = 0;  // since it last looked at the network
  LookGap look_gap_;
  DescriptorTrust trust_;
};

}  // namespace baton::message
