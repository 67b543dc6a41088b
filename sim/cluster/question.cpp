#include "sim/cluster/question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "sim/cluster/flows.hpp"
#include "sim/cluster/memory.hpp"
#include "sim/cluster/scatter_orders.hpp"
#include "sim/cluster/selection.hpp"
#include "sim/cluster/shares.hpp"
#include "sim/cluster/startup.hpp"

namespace baton::cluster {

namespace {

std::int64_t whole(const Json& json, const char* name, std::int64_t least, std::int64_t otherwise) {
  if (!json.contains(name) && otherwise >= least) return otherwise;
  const Json& value = json.contains(name) ? json[name] : Json();
  if (!value.is_number_integer() || value.get<std::int64_t>() < least)
    throw std::runtime_error(
        fmt::format("\"{}\" must be a whole number, at least {}", name, least));
  return value.get<std::int64_t>();
}

std::string word(const Json& json, const char* name, const char* otherwise) {
  if (!json.contains(name)) return otherwise;
  if (!json[name].is_string()) throw std::runtime_error(fmt::format("\"{}\" must be a word", name));
  return json[name].get<std::string>();
}

// How many ranks, and whether the fabric has space for them.
struct Size {
  int ranks;
  int per_node;
  int nodes;
};

Size size_of(const Fabric& fabric, const Json& json, int per_node_otherwise) {
  const std::int64_t ranks = whole(json, "ranks", 1, 0);
  const std::int64_t per_node = whole(json, "ranks_per_node", 1, per_node_otherwise);
  const std::int64_t nodes = (ranks + per_node - 1) / per_node;
  if (nodes > fabric.topology().nodes || per_node > lockfree::ranks_max)
    throw std::runtime_error(fmt::format("{} ranks, {} a node, need {} nodes; the fabric has {}",
                                         ranks, per_node, nodes, fabric.topology().nodes));
  return {static_cast<int>(ranks), static_cast<int>(per_node), static_cast<int>(nodes)};
}

enum class By : std::uint8_t { flows, shares, count };

By by_of(const Json& json, bool flows_can, const char* why_not) {
  const std::string by = word(json, "by", "auto");
  if (by == "shares") return By::shares;
  if (by == "count") return By::count;
  if (by != "flows" && by != "auto")
    throw std::runtime_error(fmt::format("\"by\" is flows, shares, auto or count, not \"{}\"", by));
  if (by == "flows" && !flows_can)
    throw std::runtime_error(fmt::format("too much by flows ({}); by shares it can be", why_not));
  return flows_can ? By::flows : By::shares;
}

double last_of(const std::vector<double>& ended) {
  return ended.empty() ? 0 : *std::max_element(ended.begin(), ended.end());
}

void tell(Json& answer, double seconds, bool simulated, const char* by) {
  answer["seconds"] = seconds;
  answer["kind"] = simulated ? "simulated" : "modelled";
  answer["by"] = by;
}

// Answers, and what of them only the engine's one run can tell.
class Answers {
 public:
  Answers(const Fabric& fabric, Platform& platform) : fabric_(fabric), platform_(platform) {}

  void add(const Json& question) {
    answers_.push_back(question);
    Json& answer = answers_.back();
    const std::string operation = word(question, "operation", "");
    if (operation == "memory")
      memory(answer);
    else if (operation == "selection")
      selection(answer);
    else if (operation == "startup")
      startup(answer);
    else if (operation == "scatter" && question.contains("order"))
      scatter(answer);
    else
      collective(answer, kind_of(operation));
  }

  Json finish() {
    std::vector<Job> jobs;
    for (const Waiting& each : waiting_) jobs.push_back(each.job);
    for (std::size_t i = 0; i < jobs.size(); ++i) jobs[i].schedule = &waiting_[i].schedule;
    const auto all = simulate_flows(platform_, jobs, extras_);
    for (std::size_t i = 0; i < all.size(); ++i) {
      Json& answer = answers_[waiting_[i].answer];
      if (waiting_[i].adds) {
        answer["exchange"] = last_of(all[i]);
        tell(answer, answer["start"].get<double>() + last_of(all[i]), true, "flows");
      } else {
        tell(answer, last_of(all[i]), true, "flows");
      }
    }
    Json list = Json::array();
    for (Json& answer : answers_) list.push_back(std::move(answer));
    return list;
  }

 private:
  struct Waiting {
    std::size_t answer;
    Schedule schedule;
    Job job;
    bool adds = false;  // the time of a startup's exchange
  };

  void wait(Schedule schedule, int per_node, const Costs& costs, bool adds) {
    waiting_.push_back(
        {answers_.size() - 1, std::move(schedule), {nullptr, per_node, costs}, adds});
  }

  void collective(Json& answer, CollectiveKind kind) {
    model::refuse_unknown(answer, {"operation", "bytes", "ranks", "ranks_per_node", "algorithm",
                                   "by", "then_barrier"});
    const Size size = size_of(fabric_, answer, fabric_.ranks_per_node());
    const std::int64_t bytes = whole(answer, "bytes", 0, kind == CollectiveKind::barrier ? 0 : -1);
    std::string name = word(answer, "algorithm", "chosen");
    if (name == "chosen") {
      const Chosen chosen = chosen_by_library(kind, size.ranks, size.per_node, bytes);
      answer["chosen"] = name = chosen.algorithm;
      answer["reason"] = chosen.reason;
    }
    const Known* known = find_algorithm(name);
    if (!known || known->kind != kind)
      throw std::runtime_error(fmt::format("there is no schedule \"{}\" of a {}", name,
                                           collective_kind_names[static_cast<int>(kind)]));
    if (const auto why = unequal_nodes(*known, size.ranks, size.per_node); !why.empty())
      throw std::runtime_error(fmt::format("\"{}\": {}", name, why));
    const Call call{size.ranks, size.per_node, bytes};
    Schedule schedule = known->make(call);
    const bool then_barrier = answer.value("then_barrier", false);
    if (then_barrier) schedule = then(std::move(schedule), barrier(call));
    const int most = kind == CollectiveKind::alltoall ? flows_alltoall_max : flows_ranks_max;
    const bool can = size.ranks <= most &&
                     schedule.alike * schedule.sends_alike * size.ranks <= flows_messages_max;
    const By by =
        by_of(answer, can, "more than 1024 ranks, an alltoall more than 256, or 300000 messages");
    if (by == By::count) return count(answer, schedule);
    if (by == By::flows) return wait(std::move(schedule), size.per_node, platform_.costs(), false);
    if (then_barrier || fabric_.topology().cores > 0)
      throw std::runtime_error("hosts of one machine, and a barrier afterwards, are by flows only");
    const Estimate made = estimate(platform_, *known, call, platform_.costs());
    tell(answer, made.seconds, false, made.sampled ? "sampled shares" : "shares");
  }

  // The library's.
  static Schedule barrier(const Call& call) {
    const Chosen chosen =
        chosen_by_library(CollectiveKind::barrier, call.ranks, call.ranks_per_node, 0);
    return find_algorithm(chosen.algorithm)->make({call.ranks, call.ranks_per_node, 0});
  }

  // What is sent, without its times.
  static void count(Json& answer, const Schedule& schedule) {
    std::int64_t messages = 0, bytes = 0;
    for (int rank = 0; rank < schedule.ranks; ++rank)
      for (int index = 0; index < schedule.steps(rank); ++index)
        for (const Send& send : schedule.step(rank, index).sends) {
          if (send.shown) continue;
          ++messages;
          bytes += send.bytes;
        }
    answer["messages"] = messages;
    answer["bytes_sent"] = bytes;
  }

  void scatter(Json& answer) {
    model::refuse_unknown(answer,
                          {"operation", "order", "bytes", "ranks", "busy", "busy_bytes", "by"});
    ScatterOrder given;
    const std::string order = word(answer, "order", "");
    const auto* found = std::find(std::begin(order_words) + 1, std::end(order_words), order);
    if (found == std::end(order_words))
      throw std::runtime_error(
          fmt::format("\"order\" is rank, status or blocking, not \"{}\"", order));
    given.order = static_cast<Order>(found - std::begin(order_words));
    Json alone = answer;
    alone["ranks_per_node"] = 1;
    given.ranks = size_of(fabric_, alone, 1).ranks;
    given.bytes = whole(answer, "bytes", 0, -1);
    given.busy = answer.value("busy", 0.0);
    given.busy_bytes = whole(answer, "busy_bytes", 0, 0);
    if (given.ranks < 3) throw std::runtime_error("a scatter with busy nodes has at least 3 ranks");
    if (!(given.busy >= 0 && given.busy <= 1))
      throw std::runtime_error("\"busy\" is a share, from 0 to 1");
    auto told = [this, at = answers_.size() - 1](const ScatterTimes& times, bool simulated) {
      Json& one = answers_[at];
      tell(one, times.last, simulated, simulated ? "flows" : "closed form");
      one["mean"] = times.mean;
      one["mean_idle"] = times.mean_idle;
    };
    if (by_of(answer, given.ranks <= flows_ranks_max, "more than 1024 ranks") != By::flows)
      return told(scatter_in_closed_form(platform_, given), false);
    extras_.push_back([=, this] { told(scatter_by_flows(platform_, given), true); });
  }

  void startup(Json& answer) {
    model::refuse_unknown(answer,
                          {"operation", "ranks", "ranks_per_node", "fan_out", "contacts", "by"});
    const Size size = size_of(fabric_, answer, fabric_.ranks_per_node());
    const auto fan_out = static_cast<int>(whole(answer, "fan_out", 1, 32));
    const auto contacts = static_cast<int>(whole(answer, "contacts", 0, 32));
    const auto record = static_cast<std::int64_t>(fabric_.parameters()["record.bytes"]);
    const Startup closed =
        startup_in_closed_form(fabric_, size.ranks, size.per_node, fan_out, contacts);
    answer["start"] = closed.start;
    answer["connect_few"] = closed.connect_few;
    answer["connect_all"] = closed.connect_all;
    Schedule schedule =
        exchange_of_records(size.nodes, fan_out, std::min(size.per_node, size.ranks) * record);
    const Costs costs = manager_costs(fabric_);
    if (by_of(answer, size.nodes <= flows_ranks_max, "more than 1024 nodes") == By::flows)
      return wait(std::move(schedule), 1, costs, true);
    const double exchange = last_of(simulate_shares(platform_, schedule, 1, costs));
    answer["exchange"] = exchange;
    tell(answer, closed.start + exchange, false, "shares");
  }

  void memory(Json& answer) {
    model::refuse_unknown(answer, {"operation", "ranks", "ranks_per_node", "near", "far"});
    const Size size = size_of(fabric_, answer, fabric_.ranks_per_node());
    std::int64_t all = 0;
    answer["parts"] = Json::object();
    for (const MemoryPart& part :
         memory_of_rank(size.ranks, size.per_node, static_cast<int>(whole(answer, "near", 0, 0)),
                        static_cast<int>(whole(answer, "far", 0, 0)))) {
      answer["parts"][part.name] = {
          {"bytes", part.bytes}, {"assumed", part.assumed}, {"at_most", part.at_most}};
      if (!part.at_most) all += part.bytes;
    }
    answer["bytes_of_rank"] = all;
    answer["kind"] = "modelled";
    answer["by"] = "closed form";
  }

  void selection(Json& answer) {
    model::refuse_unknown(answer, {"operation", "of", "ranks", "ranks_per_node", "bytes_max"});
    const Size size = size_of(fabric_, answer, fabric_.ranks_per_node());
    const CollectiveKind kind = kind_of(word(answer, "of", ""));
    const std::int64_t most = whole(answer, "bytes_max", 0, std::int64_t{1} << 30);
    answer["rows"] = Json::array();
    std::string before;
    for (std::int64_t bytes = 0; bytes <= most;) {
      const Chosen chosen = chosen_by_library(kind, size.ranks, size.per_node, bytes);
      if (chosen.algorithm != before)
        answer["rows"].push_back(
            {{"bytes_from", bytes}, {"algorithm", chosen.algorithm}, {"reason", chosen.reason}});
      before = chosen.algorithm;
      const auto next = next_size(kind, size.ranks, size.per_node, bytes);
      if (!next) break;
      bytes = *next;
    }
  }

  const Fabric& fabric_;
  Platform& platform_;
  std::vector<Json> answers_;
  std::vector<Waiting> waiting_;
  std::vector<Extra> extras_;
};

}  // namespace

Json answers_to(const Fabric& fabric, const Json& questions) {
  Platform platform(fabric);
  Answers answers(fabric, platform);
  for (std::size_t i = 0; i < questions.size(); ++i) {
    try {
      if (!questions[i].is_object()) throw std::runtime_error("must be an object");
      answers.add(questions[i]);
    } catch (const std::exception& error) {
      throw std::runtime_error(fmt::format("question {}: {}", i + 1, error.what()));
    }
  }
  return answers.finish();
}

Json describe(const Fabric& fabric) {
  Json json{{"title", fabric.title()},
            {"source", fabric.source()},
            {"topology", fabric.topology().name},
            {"nodes", fabric.topology().nodes},
            {"ranks_per_node", fabric.ranks_per_node()},
            {"parameters", Json::object()},
            {"algorithms", Json::array()}};
  for (const model::Parameter& parameter : fabric.parameters().all()) {
    Json one{{"value", parameter.value}};
    if (!parameter.is_known()) one["range"] = {parameter.low, parameter.high};
    one["unit"] = parameter.unit;
    one["source"] = parameter.source;
    if (!parameter.words.empty()) one["words"] = parameter.words;
    json["parameters"][parameter.name] = one;
  }
  for (const Known& known : known_algorithms())
    json["algorithms"].push_back({{"name", known.name},
                                  {"of", collective_kind_names[static_cast<int>(known.kind)]},
                                  {"words", known.words},
                                  {"in_library", library_algorithm(known.name).has_value()}});
  return json;
}

}  // namespace baton::cluster
