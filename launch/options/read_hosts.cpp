// These read hosts and files of arguments.
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "launch/options/option_reader.hpp"
#include "launch/options/value_text.hpp"
#include "lockfree/job.hpp"

namespace baton::launch {

namespace {

constexpr std::size_t file_bytes_max = 1 << 20;

std::string own_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "localhost";
}

std::string short_name(const std::string& name) {
  return lower_case(name.substr(0, name.find('.')));
}

// Returns whether one of this machine's interfaces has the address; no name server is asked.
bool own_address(const std::string& text) {
  in_addr four{};
  in6_addr six{};
  const bool is_four = ::inet_pton(AF_INET, text.c_str(), &four) == 1;
  if (!is_four && ::inet_pton(AF_INET6, text.c_str(), &six) != 1) return false;
  if (is_four && (ntohl(four.s_addr) >> 24) == IN_LOOPBACKNET) return true;
  if (!is_four && IN6_IS_ADDR_LOOPBACK(&six)) return true;
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return false;
  bool found = false;
  for (const ifaddrs* one = all; one && !found; one = one->ifa_next) {
    if (!one->ifa_addr) continue;
    if (is_four && one->ifa_addr->sa_family == AF_INET)
      found = reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr.s_addr == four.s_addr;
    if (!is_four && one->ifa_addr->sa_family == AF_INET6)
      found = std::memcmp(&reinterpret_cast<const sockaddr_in6*>(one->ifa_addr)->sin6_addr, &six,
                          sizeof six) == 0;
  }
  ::freeifaddrs(all);
  return found;
}

bool this_node(const std::string& host) {
  const std::string name = lower_case(host);
  for (const char* local :
       {"localhost", "localhost.localdomain", "ip6-localhost", "localhost4", "localhost6"})
    if (name == local) return true;
  const bool address = name.find_first_not_of("0123456789.") == std::string::npos ||
                       name.find(':') != std::string::npos;
  return address ? own_address(name) : short_name(name) == short_name(own_name());
}

// These are the ranks that hosts give where nobody gives a number.
struct Slots {
  int said = 0;
  int mentions = 0;
};

void add_host(Reader& reader, const std::string& host, const std::string& slots, Slots& all) {
  // A name that is repeated has more ranks, as in Open MPI.
  auto& hosts = reader.options.hosts;
  auto known = std::ranges::find(hosts, host, &Host::name);
  const bool again = known != hosts.end();
  if (!again) known = hosts.insert(hosts.end(), {host, 0, !this_node(host)});
  ++all.mentions;
  if (slots.empty()) {
    if (again) known->slots = std::max(known->slots, 1) + 1;
    return;
  }
  auto count = number_in(slots, 1, lockfree::ranks_max);
  if (!count)
    return reader.fail(": " + host + ":" + slots + ": slots are a number from 1 to " +
                       std::to_string(lockfree::ranks_max));
  all.said += static_cast<int>(*count);
  known->slots += static_cast<int>(*count);
}

// Adds NAME or NAME:SLOTS; an IPv6 address has more colons.
void add_host(Reader& reader, const std::string& text, Slots& all) {
  const std::size_t colon = text.find(':');
  const bool one = colon != std::string::npos && text.find(':', colon + 1) == std::string::npos;
  add_host(reader, one ? text.substr(0, colon) : text, one ? text.substr(colon + 1) : "", all);
}

void apply(Reader& reader, const Slots& slots) {
  if (!reader.error.empty()) return;
  const int count = slots.said ? slots.said : slots.mentions > 1 ? slots.mentions : 0;
  if (count > 0) reader.options.slots = count;
}

std::string read_file(Reader& reader, const std::string& name) {
  std::ifstream file(name);
  std::string text(file_bytes_max + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.gcount() == 0 && (!file.is_open() || file.bad())) {
    reader.fail(" " + name + ": " + std::strerror(errno));
    return {};
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > file_bytes_max) reader.fail(" " + name + ": it is longer than 1 MiB");
  return text;
}

std::vector<std::string> words_in(const std::string& line) {
  std::vector<std::string> words;
  for (const std::string& word : parts_of(line.substr(0, line.find('#')), " \t\r"))
    if (!word.empty()) words.push_back(word);
  return words;
}

// Splits a line into words as a shell does, with its quotes and backslash; nothing is expanded.
bool split(const std::string& line, std::vector<std::string>& words) {
  std::string word;
  bool begun = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      word += line[++i];
      begun = true;
    } else if (quote) {
      quote == c ? void(quote = 0) : word.push_back(c);
    } else if (c == '"' || c == '\'') {
      quote = c;
      begun = true;
    } else if (c == '#' && !begun) {
      break;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      if (begun) words.push_back(std::exchange(word, {}));
      begun = false;
    } else {
      word += c;
      begun = true;
    }
  }
  if (begun) words.push_back(word);
  return quote == 0;
}

}  // namespace

void read_hosts(Reader& reader) {
  Slots slots;
  for (const std::string& host : parts_of(reader.take_some("hosts separated by commas"), ","))
    if (reader.error.empty()) add_host(reader, host, slots);
  apply(reader, slots);
}

// The file has a host a line: NAME, NAME:SLOTS, NAME slots=SLOTS.
void read_host_file(Reader& reader) {
  const std::string name = reader.take_some("a file");
  if (!reader.error.empty()) return;
  Slots slots;
  for (const std::string& line : parts_of(read_file(reader, name), "\n")) {
    const std::vector<std::string> words = words_in(line);
    if (words.empty() || !reader.error.empty()) continue;
    auto said =
        std::ranges::find_if(words, [](const auto& word) { return word.starts_with("slots="); });
    if (said == words.end())
      add_host(reader, words.front(), slots);
    else
      add_host(reader, words.front(), said->substr(6), slots);
  }
  if (slots.mentions == 0) reader.fail(" " + name + ": it names no host");
  apply(reader, slots);
}

void read_on_node(Reader& reader) {
  reader.options.on_node = reader.take_some("NAME:RANKS of all nodes");
}

// Each line of the file is a program with its options, as stands between colons otherwise.
void read_arguments(Reader& reader) {
  const std::string name = reader.take_some("a file");
  if (!reader.error.empty()) return;
  if (reader.next < reader.arguments.size())
    return reader.fail(" " + name + ": nothing can follow it, and there is " +
                       reader.arguments[reader.next] +
                       "; the programs are in the file, one per line");
  std::vector<std::string> words;
  for (const std::string& line : parts_of(read_file(reader, name), "\n")) {
    std::vector<std::string> more;
    if (!split(line, more)) return reader.fail(" " + name + ": a quote does not end in: " + line);
    if (more.empty()) continue;
    if (!words.empty()) words.push_back(":");
    words.insert(words.end(), more.begin(), more.end());
  }
  for (const std::string& word : words)
    for (const char* nested : {"-configfile", "--configfile", "-app", "--app"})
      if (word == nested)
        return reader.fail(" " + name + ": it has " + word + " in it; one file is enough");
  if (words.empty()) return reader.fail(" " + name + ": there is no program in it");
  reader.arguments.insert(reader.arguments.end(), words.begin(), words.end());
}

// Words with a zero behind each, since a program may be given any others; first the parents' port,
// which has a secret.
void read_spawned(Reader& reader) {
  const std::string name = reader.take_some("a file");
  if (!reader.error.empty()) return;
  const std::string text = read_file(reader, name);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\0', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (begin == 0)
      reader.options.spawned_by = word;
    else
      reader.arguments.push_back(word);
    begin = end + 1;
  }
  reader.between_programs = "\x1f";
}

}  // namespace baton::launch
