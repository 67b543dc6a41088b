#include "sim/machine/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace baton::model {

namespace {

Program program_of(const Json& json) {
  refuse_unknown(json, {"bytes", "reads", "writes", "lines", "nodes", "computing_nanoseconds"});
  Program program;
  program.bytes = json.at("bytes").get<double>();
  program.reads = json.value("reads", 1.0);
  program.writes = json.value("writes", 0.0);
  if (json.contains("lines")) program.lines = json["lines"].get<double>();
  const auto nodes = json.value("nodes", "at once");
  if (nodes != "at once" && nodes != "in turn")
    throw std::runtime_error(
        fmt::format("\"nodes\": {}; they are used \"at once\" or \"in turn\"", nodes));
  if (nodes == "in turn") program.order = Order::in_turn;
  program.computing = json.value("computing_nanoseconds", 0.0) * seconds_in_nanosecond;
  if (!(program.bytes > 0)) throw std::runtime_error("\"bytes\" must be positive");
  if (!(program.computing >= 0))
    throw std::runtime_error("\"computing_nanoseconds\" is not negative");
  if (program.computing > 0 && program.order == Order::in_turn)
    throw std::runtime_error("a program that computes uses its nodes \"at once\"");
  if (program.lines && !(*program.lines >= 1)) throw std::runtime_error("\"lines\" is at least 1");
  return program;
}

Plan plan_of(const Description& description, const Json& json) {
  const int ranks = json.value("ranks", 0);
  if (json.contains("configuration"))
    return plan_of_configuration(description, json["configuration"].get<std::string>(), ranks);
  Plan plan;
  plan.ranks = ranks;
  plan.memory = json.value("memory", plan.memory);
  auto cores = machine::read_core_choice(json.value("cores", "all"));
  if (!cores) throw std::runtime_error(cores.error());
  plan.cores = *cores;
  return plan;
}

Planned plan_pairs(const Description& description, const std::string& name, const Json& json) {
  refuse_unknown(json, {"name", "pairs", "placed", "memory", "bytes", "written_back", "set"});
  Pairs pairs;
  pairs.count = json["pairs"].get<int>();
  const auto placed = json.value("placed", "in tiles");
  if (placed != "in tiles" && placed != "across tiles")
    throw std::runtime_error(
        fmt::format("\"placed\": {}; pairs are \"in tiles\" or \"across tiles\"", placed));
  pairs.across_tiles = placed == "across tiles";
  pairs.memory = json.value("memory", pairs.memory);
  pairs.bytes = json.at("bytes").get<double>();
  pairs.written_back = json.value("written_back", 0.0);
  if (pairs.count < 1) throw std::runtime_error("\"pairs\" is at least 1");
  if (!(pairs.bytes > 0)) throw std::runtime_error("\"bytes\" must be positive");
  if (!(pairs.written_back >= 0)) throw std::runtime_error("\"written_back\" is not negative");
  Planned planned;
  const auto all = place_pairs(description, pairs);
  planned.made = case_of_pairs(description, name, pairs, all);
  for (const PlacedPair& pair : all)
    planned.placed.push_back({{"cpus", {pair.sender.cpu, pair.receiver.cpu}},
                              {"nodes", {pair.sender.nodes.front(), pair.receiver.nodes.front()}},
                              {"segment", pair.segment}});
  return planned;
}

Planned plan_team(const Description& description, const std::string& name, const Json& json) {
  refuse_unknown(json, {"name", "processes", "threads", "master", "bound", "resting", "first_alone",
                        "set", "program"});
  Team team;
  team.processes = json["processes"].get<std::vector<int>>();
  team.threads = json.value("threads", team.threads);
  team.master = json.value("master", team.master);
  team.bound = json.value("bound", team.bound);
  team.resting = json.value("resting", team.resting);
  team.first_alone = json.value("first_alone", team.first_alone);
  Planned planned;
  const auto threads = place_team(description, team);
  planned.made = case_of_team(description, name, threads, program_of(json.at("program")));
  for (const PlacedThread& thread : threads)
    planned.placed.push_back({{"host", thread.host},
                              {"process", thread.process},
                              {"cpu", thread.cpu},
                              {"nodes", thread.nodes}});
  return planned;
}

Planned plan_messages(const Description& description, const std::string& name, const Json& json) {
  refuse_unknown(json, {"name", "ranks_on_hosts", "messages", "set"});
  std::vector<Message> messages;
  for (const Json& one : json["messages"]) {
    refuse_unknown(one, {"from", "to", "bytes"});
    messages.push_back(
        {one.at("from").get<int>(), one.at("to").get<int>(), one.at("bytes").get<double>()});
  }
  Planned planned;
  planned.made = case_of_messages(description, name,
                                  json.at("ranks_on_hosts").get<std::vector<int>>(), messages);
  planned.placed = Json::array();
  return planned;
}

}  // namespace

Planned planned_from(Description description, const Json& json) {
  const auto name = json.value("name", "without a name");
  try {
    if (json.contains("set"))
      for (const auto& [parameter, value] : json["set"].items())
        description.parameters().set(parameter, value.get<double>());
    if (json.contains("pairs")) return plan_pairs(description, name, json);
    if (json.contains("processes")) return plan_team(description, name, json);
    if (json.contains("messages")) return plan_messages(description, name, json);
    refuse_unknown(json, {"name", "configuration", "cores", "memory", "ranks", "set", "program"});
    Planned planned;
    const auto ranks = place(description, plan_of(description, json));
    planned.made = case_of(description, name, ranks, program_of(json.at("program")));
    for (const PlacedRank& rank : ranks)
      planned.placed.push_back({{"cpu", rank.cpu}, {"nodes", rank.nodes}});
    return planned;
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("case {}: {}", name, error.what()));
  }
}

Json describe(const Description& description) {
  Json json{{"title", description.title()}, {"parameters", Json::object()}};
  for (const Parameter& parameter : description.parameters().all()) {
    Json one{{"value", parameter.value}};
    if (!parameter.is_known()) one["range"] = {parameter.low, parameter.high};
    one["unit"] = parameter.unit;
    one["source"] = parameter.source;
    if (!parameter.words.empty()) one["words"] = parameter.words;
    json["parameters"][parameter.name] = one;
  }
  return json;
}

Json report_of(const Description& description, const Json& given, const std::vector<Planned>& cases,
               const std::vector<Times>& times) {
  Json json{{"machine", describe(description)}, {"cases", Json::array()}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    Json one = given[i];
    one["seconds"] = times[i].all();
    one["seconds_of_ranks"] = times[i].seconds;
    one["where"] = cases[i].placed;
    json["cases"].push_back(one);
  }
  return json;
}

}  // namespace baton::model
