// The program baton-cluster: collectives, start and memory of jobs on fabrics that nobody here has,
// message by message, by the algorithms that Baton's own selection takes. Simulated or
// modelled, not measured.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <fstream>

#include "sim/cluster/question.hpp"

namespace {

using namespace baton::cluster;

int fail(const std::string& text) {
  fmt::print(stderr, "baton-cluster: {}\n", text);
  return 1;
}

int write(const std::string& path, const Json& report) {
  const std::string text = report.dump(1) + "\n";
  if (path.empty()) return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
  std::ofstream file(path);
  file << text;
  file.close();
  return file ? 0 : fail(fmt::format("{}: cannot be written", path));
}

Json read(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(fmt::format("{}: no such file", path));
  Json questions;
  try {
    questions = Json::parse(file);
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("{}: {}", path, error.what()));
  }
  if (!questions.is_array() || questions.empty())
    throw std::runtime_error(fmt::format("{}: is no list of questions", path));
  return questions;
}

}  // namespace

int main(int count, char** words) {
  CLI::App program(
      "Jobs on fabrics that nobody here has: how long collectives and the start take, by the "
      "algorithms that Baton's own selection takes. Simulated or modelled, not measured.",
      "baton-cluster");
  program.require_subcommand(1);
  std::string fabric, questions, out, operation, algorithm = "chosen", by = "auto";
  std::int64_t ranks = 0, per_node = 0, bytes = 0;
  auto add = [&](const char* name, const char* what) {
    CLI::App* command = program.add_subcommand(name, what);
    command->add_option("--fabric", fabric, "The fabric's file")->required();
    command->add_option("--out", out, "Where the report goes (default: standard output)");
    return command;
  };
  CLI::App* show = add("show", "the fabric's numbers, each with its reference, and the algorithms");
  CLI::App* run = add("run", "some questions");
  run->add_option("--questions", questions, "Their file: a list in JSON")->required();
  CLI::App* ask = add("ask", "one question: how long a collective takes");
  ask->add_option("--operation", operation, "barrier, broadcast, allreduce, ...")->required();
  ask->add_option("--ranks", ranks, "How many")->required();
  ask->add_option("--ranks-per-node", per_node, "(default: those of the fabric)");
  ask->add_option("--bytes", bytes, "What a rank gives")->capture_default_str();
  ask->add_option("--algorithm", algorithm, "A name, or chosen: by Baton")->capture_default_str();
  ask->add_option("--by", by, "flows, shares, auto, or count: no times, only what is sent")
      ->capture_default_str();
  CLI11_PARSE(program, count, words);
  try {
    const Fabric described = Fabric::read(fabric);
    if (show->parsed()) return write(out, describe(described));
    Json asked;
    if (run->parsed()) {
      asked = read(questions);
    } else {
      asked.push_back({{"operation", operation},
                       {"bytes", bytes},
                       {"ranks", ranks},
                       {"algorithm", algorithm},
                       {"by", by}});
      if (per_node) asked[0]["ranks_per_node"] = per_node;
    }
    return write(out, {{"fabric", describe(described)}, {"answers", answers_to(described, asked)}});
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}
