// A link that divides itself equally among what is on it, with a most for each. For shares.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace baton::cluster {

class SharedLink {
 public:
  SharedLink() = default;
  SharedLink(double all, double most_of_one) : all_(all), most_(most_of_one) {}

  bool empty() const { return on_it_.empty(); }
  // Whose turn to have passed is next, and when, if nothing else comes.
  std::uint32_t next() const { return on_it_.front().message; }
  double next_at() const { return at_ + std::max(0.0, on_it_.front().served - served_) / rate(); }

  void begin(double now, std::uint32_t message, double bytes) {
    serve(now);
    on_it_.push_back({served_ + bytes, message});
    std::push_heap(on_it_.begin(), on_it_.end(), std::greater<>());
  }
  void end_next(double now) {
    serve(now);
    served_ = std::max(served_, on_it_.front().served);
    std::pop_heap(on_it_.begin(), on_it_.end(), std::greater<>());
    on_it_.pop_back();
    if (on_it_.empty()) served_ = 0;  // so that bytes stay exact
  }

  std::uint32_t version = 0;  // of what is expected next: an older expectation does not count

 private:
  struct OnIt {
    double served;  // it has passed when each has been served so many bytes
    std::uint32_t message;
    bool operator>(const OnIt& other) const { return served > other.served; }
  };

  double rate() const { return std::min(most_, all_ / static_cast<double>(on_it_.size())); }
  void serve(double now) {
    if (!on_it_.empty()) served_ += (now - at_) * rate();
    at_ = now;
  }

  double all_ = 0, most_ = 0;
  double at_ = 0;      // so far `served_` is known
  double served_ = 0;  // of each message on it, all the time
  std::vector<OnIt> on_it_;
};

}  // namespace baton::cluster
