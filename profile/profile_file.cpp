// This reads and writes profiles as JSON.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/selection.hpp"
#include "base/settings.hpp"
#include "profile/profile.hpp"

namespace baton::profile {

namespace {

// Keys keep their order: people read these files.
using Json = nlohmann::ordered_json;

constexpr off_t bytes_max = 64 << 20;  // far beyond what tuning writes
constexpr const char* remedy = "; `baton tune` makes a new one";

// This says what is wrong with a profile's words; it ends the reading.
struct Wrong {
  std::string text;
};

Json json_of(const Collectives& collectives) {
  Json json;
  json["date"] = collectives.date;
  json["seconds"] = collectives.seconds;
  json["budget_seconds"] = collectives.budget;
  json["ranks"] = collectives.ranks;
  json["chosen"] = Json::array();
  for (const ChosenRow& one : collectives.chosen)
    json["chosen"].push_back({{"row", one.row}, {"reason", one.reason}});
  json["measured"] = Json::array();
  for (const CollectiveCell& cell : collectives.measured)
    json["measured"].push_back({{"kind", cell.kind},
                                {"algorithm", cell.algorithm},
                                {"ranks", cell.ranks},
                                {"bytes", cell.bytes},
                                {"distance", distance_names[static_cast<int>(cell.distance)]},
                                {"medians_us", cell.medians_us}});
  return json;
}

Json json_of(const Cell& cell) {
  return {{"question", cell.question},
          {"variant", cell.variant},
          {"peers", cell.peers},
          {"pattern", cell.pattern},
          {"data", cell.data},
          {"bytes", cell.bytes},
          {"distance", distance_names[static_cast<int>(cell.distance)]},
          {"medians_us", cell.medians_us}};
}

Json json_of(const std::vector<Chosen>& chosen) {
  Json json = Json::array();
  for (const Chosen& one : chosen)
    json.push_back({{"setting", one.setting}, {"value", one.value}, {"reason", one.reason}});
  return json;
}

Json json_of(const Network& network) {
  Json json;
  json["date"] = network.date;
  json["hosts"] = network.hosts;
  json["provider"] = network.provider;
  json["interface"] = network.interface;
  json["libfabric"] = network.libfabric;
  json["seconds"] = network.seconds;
  json["budget_seconds"] = network.budget;
  json["arrival"] = network.arrival;
  json["writes"] = network.writes;
  json["offers"] = network.offers;
  json["chosen"] = json_of(network.chosen);
  json["measured"] = Json::array();
  for (const Cell& cell : network.measured) json["measured"].push_back(json_of(cell));
  return json;
}

Json json_of(const Profile& profile) {
  const Identity& machine = profile.machine;
  Json json;
  json["format"] = format_version;
  json["baton"] = profile.baton;
  json["date"] = profile.date;
  json["complete"] = profile.complete;
  json["machine"] = {{"cpu_model", machine.cpu_model},
                     {"topology", machine.topology},
                     {"cpus_usable", machine.cpus_usable},
                     {"kernel", machine.kernel},
                     {"cma_permitted", machine.cma_permitted}};
  json["seconds"] = profile.seconds;
  json["budget_seconds"] = profile.budget;
  json["chosen"] = json_of(profile.chosen);
  json["pairs"] = Json::array();
  for (const Pair& pair : profile.pairs)
    json["pairs"].push_back({{"peers", pair.peers}, {"cpus", {pair.cpus[0], pair.cpus[1]}}});
  json["measured"] = Json::array();
  for (const Cell& cell : profile.measured) json["measured"].push_back(json_of(cell));
  if (!profile.collectives.date.empty()) json["collectives"] = json_of(profile.collectives);
  if (!profile.network.date.empty()) json["network"] = json_of(profile.network);
  return json;
}

Chosen read_chosen(const Json& json) {
  Chosen one{json.at("setting"), json.at("value"), json.at("reason")};
  const SettingRow* row = find_setting(one.setting.c_str());
  if (!row) throw Wrong{"there is no setting " + one.setting};
  if (one.value < row->minimum || one.value > row->maximum)
    throw Wrong{one.setting + " is " + std::to_string(one.value) + ", beyond its range"};
  return one;
}

std::vector<double> read_times(const Json& json) {
  std::vector<double> times;
  for (const Json& value : json) {
    times.push_back(value.get<double>());
    if (!(times.back() > 0)) throw Wrong{"a time is not more than 0"};
  }
  return times;
}

// Profiles without distances are of pairs that were not measured.
Distance read_distance(const Json& cell) {
  const std::string word = cell.value("distance", "far");
  if (word != "far" && word != "near") throw Wrong{"\"" + word + "\" is no distance"};
  return word == "near" ? Distance::near : Distance::far;
}

// Returns the present name of an algorithm or a kind.
std::string read_name(const Json& json) {
  return std::string(current_name(json.get<std::string>()));
}

Collectives read_collectives(const Json& json) {
  Collectives collectives;
  collectives.date = json.at("date");
  collectives.seconds = json.at("seconds");
  collectives.budget = json.at("budget_seconds");
  collectives.ranks = json.at("ranks").get<std::vector<int>>();
  for (const Json& one : json.at("chosen")) {
    collectives.chosen.push_back({one.at("row"), one.at("reason")});
    const std::string& text = collectives.chosen.back().row;
    const char* at = text.c_str();
    SelectionRow row{};
    char problem[problem_length];
    const bool one_row = next_selection_row(&at, SelectionSource::tuned, &row, problem) && !*at;
    if (!one_row) throw Wrong{"\"" + text + "\" is no row of a selection"};
    if (problem[0]) throw Wrong{problem};
  }
  for (const Json& cell : json.at("measured"))
    collectives.measured.push_back({read_name(cell.at("kind")), read_name(cell.at("algorithm")),
                                    cell.at("ranks"), cell.at("bytes"),
                                    read_times(cell.at("medians_us")), read_distance(cell)});
  return collectives;
}

// These accept former names of data and of a question until the next release.
std::string read_data(const Json& json) {
  const std::string word = json;
  return word == "reused" ? "warm" : word == "fresh" ? "cold" : word;
}
std::string read_question(const Json& json) {
  const std::string word = json;
  return word == "pieces" ? "segments" : word;
}

Cell read_cell(const Json& json) {
  return {read_question(json.at("question")),
          json.at("variant"),
          json.at("peers"),
          json.at("pattern"),
          read_data(json.at("data")),
          json.at("bytes"),
          read_times(json.at("medians_us")),
          read_distance(json)};
}

// Reads a text that goes to ranks as a part of one line.
std::string read_part(const Json& json) {
  std::string text = json;
  if (text.find_first_of("|\n") != std::string::npos)
    throw Wrong{"\"" + text + "\" is no part of a network"};
  return text;
}

Network read_network(const Json& json) {
  Network network;
  network.date = json.at("date");
  network.hosts = json.at("hosts").get<std::vector<std::string>>();
  network.provider = read_part(json.at("provider"));
  network.interface = read_part(json.at("interface"));
  network.libfabric = read_part(json.at("libfabric"));
  network.seconds = json.at("seconds");
  network.budget = json.at("budget_seconds");
  network.arrival = read_part(json.at("arrival"));
  network.writes = read_part(json.at("writes"));
  network.offers = json.at("offers");
  for (const Json& one : json.at("chosen")) network.chosen.push_back(read_chosen(one));
  for (const Json& cell : json.at("measured")) network.measured.push_back(read_cell(cell));
  return network;
}

Profile profile_of(const Json& json) {
  int format = json.at("format");
  if (format != format_version)
    throw Wrong{"its format is " + std::to_string(format) + ", this Baton reads " +
                std::to_string(format_version)};
  Profile profile;
  profile.baton = json.at("baton");
  if (profile.baton != BATON_VERSION)
    throw Wrong{"it was measured with Baton " + profile.baton + ", this is " BATON_VERSION};
  profile.date = json.at("date");
  profile.complete = json.at("complete");
  const Json& machine = json.at("machine");
  profile.machine = {machine.at("cpu_model"), machine.at("topology"), machine.at("kernel"),
                     machine.at("cpus_usable"), machine.at("cma_permitted")};
  profile.seconds = json.at("seconds");
  profile.budget = json.at("budget_seconds");
  for (const Json& one : json.at("chosen")) profile.chosen.push_back(read_chosen(one));
  for (const Json& pair : json.at("pairs"))
    profile.pairs.push_back({pair.at("peers"), {pair.at("cpus").at(0), pair.at("cpus").at(1)}});
  for (const Json& cell : json.at("measured")) profile.measured.push_back(read_cell(cell));
  if (auto found = json.find("collectives"); found != json.end())
    profile.collectives = read_collectives(*found);
  if (auto found = json.find("network"); found != json.end())
    profile.network = read_network(*found);
  return profile;
}

// Makes the folders above a file, as far as they are missing.
void make_folders(const std::string& file) {
  for (std::size_t slash = file.find('/', 1); slash != std::string::npos;
       slash = file.find('/', slash + 1))
    ::mkdir(file.substr(0, slash).c_str(), 0777);
}

}  // namespace

std::expected<Profile, std::string> read_profile(const std::string& file) {
  auto refused = [&](const std::string& cause) {
    return std::unexpected("the profile " + file + " cannot be used: " + cause + remedy);
  };
  // This uses no stream, since a folder opens as one without an error.
  // O_NONBLOCK avoids waiting for a pipe's writer.
  int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return refused(std::strerror(errno));
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) ||
      status.st_size > bytes_max) {
    ::close(descriptor);
    return refused(S_ISREG(status.st_mode) ? "it is longer than 64 MiB" : "it is no regular file");
  }
  std::string text;
  char part[65536];
  ssize_t got = 0;
  while (text.size() <= bytes_max && (got = ::read(descriptor, part, sizeof part)) > 0)
    text.append(part, static_cast<std::size_t>(got));
  int error = errno;
  ::close(descriptor);
  if (got < 0) return refused(std::strerror(error));
  try {
    return profile_of(Json::parse(text));
  } catch (const Json::exception& problem) {
    return refused(std::string("it is corrupt (") + problem.what() + ")");
  } catch (const Wrong& problem) {
    return refused(problem.text);
  }
}

std::expected<void, std::string> write_profile(const std::string& file, const Profile& profile) {
  std::string text;
  try {
    text = json_of(profile).dump(1) + "\n";
  } catch (const Json::exception& problem) {
    return std::unexpected(std::string("a name is no UTF-8: ") + problem.what());
  }
  make_folders(file);
  std::string beside = file + ".new";
  auto failed = [&](const char* what) {
    std::string cause = std::strerror(errno);
    ::unlink(beside.c_str());
    return std::unexpected("cannot write the profile " + file + " (" + what + "): " + cause +
                           "; --output names another file");
  };
  std::FILE* out = std::fopen(beside.c_str(), "we");
  if (!out) return failed("opening it");
  bool written = std::fwrite(text.data(), 1, text.size(), out) == text.size();
  written = std::fflush(out) == 0 && written;
  if (std::fclose(out) != 0 || !written) return failed("writing it");
  if (std::rename(beside.c_str(), file.c_str()) != 0) return failed("renaming it");
  return {};
}

}  // namespace baton::profile
