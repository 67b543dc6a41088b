#include "dynamic/published_name.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/environment.hpp"
#include "platform/lock.hpp"
#include "platform/name_board.hpp"
#include "transport/node.hpp"
#include "world/agree/agree.hpp"

namespace baton::dynamic {

namespace {

enum class Scope { user, family, any };

// Reads the info key `scope`; `fallback` where it is not there.
Error read_scope(const Info* info, Scope fallback, Scope* scope) {
  char text[32];
  *scope = fallback;
  if (!info || !info->get("scope", text, sizeof text)) return MPI_SUCCESS;
  if (std::strcmp(text, "user") == 0)
    *scope = Scope::user;
  else if (std::strcmp(text, "job") == 0)
    *scope = Scope::family;
  else
    return fail(
        MPI_ERR_INFO_VALUE,
        "info key scope: \"%s\" is not known; job: this job's family, user: all jobs of this "
        "user on this host",
        text);
  return MPI_SUCCESS;
}

}  // namespace

std::string family_name() {
  if (const char* told = environment_variable("BATON_FAMILY")) return told;
  return std::to_string(transport::job().world.job);
}

namespace {

// Makes a file's name of a scope and the service's name, which may have any characters.
std::string entry_of(Scope scope, const char* service) {
  std::uint64_t low = 1, high = 2;
  for (const char* c = service; *c; ++c) {
    low = world::scramble(low + static_cast<unsigned char>(*c));
    high = world::scramble(high ^ (low + static_cast<unsigned char>(*c)));
  }
  char hash[40];
  std::snprintf(hash, sizeof hash, "%016lx%016lx", high, low);
  return (scope == Scope::user ? std::string("user") : family_name()) + "." + hash;
}

// The names that this process has published.
struct Published {
  platform::Lock lock;
  std::string entries;  // each with a newline behind it
} published;

void remember(const std::string& entry) {
  platform::Guard guard(published.lock);
  published.entries += entry + "\n";
}

bool forget(const std::string& entry) {
  platform::Guard guard(published.lock);
  const std::size_t at = published.entries.find(entry + "\n");
  if (at == std::string::npos) return false;
  published.entries.erase(at, entry.size() + 1);
  return true;
}

Error check_name(const char* service) {
  if (*service) return MPI_SUCCESS;
  return fail(MPI_ERR_ARG, "argument service_name: it is empty");
}

bool find(Scope scope, const char* service, char* port) {
  return platform::read_on_board(entry_of(scope, service).c_str(), service, port,
                                 MPI_MAX_PORT_NAME);
}

}  // namespace

Error publish(const char* service, const Info* info, const char* port) {
  if (Error error = check_name(service)) return error;
  Scope scope;
  if (Error error = read_scope(info, Scope::user, &scope)) return error;
  const std::string entry = entry_of(scope, service);
  if (platform::write_on_board(entry.c_str(), service, port)) {
    remember(entry);
    return MPI_SUCCESS;
  }
  if (errno == EEXIST)
    return fail(
        MPI_ERR_SERVICE,
        "argument service_name: \"%s\" is published already; MPI_Unpublish_name takes a name "
        "back",
        service);
  return fail(MPI_ERR_OTHER, "\"%s\" cannot be published: %s", service, std::strerror(errno));
}

Error unpublish(const char* service, const Info* info, const char*) {
  if (Error error = check_name(service)) return error;
  Scope scope;
  if (Error error = read_scope(info, Scope::any, &scope)) return error;
  for (const Scope one : {Scope::family, Scope::user})
    if (scope == Scope::any || scope == one)
      if (const std::string entry = entry_of(one, service); forget(entry)) {
        platform::remove_from_board(entry.c_str());
        return MPI_SUCCESS;
      }
  return fail(MPI_ERR_SERVICE, "argument service_name: this process has not published \"%s\"",
              service);
}

Error look_up(const char* service, const Info* info, char* port) {
  if (Error error = check_name(service)) return error;
  Scope scope;
  if (Error error = read_scope(info, Scope::any, &scope)) return error;
  for (const Scope one : {Scope::family, Scope::user})
    if ((scope == Scope::any || scope == one) && find(one, service, port)) return MPI_SUCCESS;
  return fail(MPI_ERR_NAME, "argument service_name: nobody publishes \"%s\" now", service);
}

void unpublish_all() {
  std::string entries;
  {
    platform::Guard guard(published.lock);
    entries.swap(published.entries);
  }
  for (std::size_t begin = 0; begin < entries.size();) {
    const std::size_t end = entries.find('\n', begin);
    platform::remove_from_board(entries.substr(begin, end - begin).c_str());
    begin = end + 1;
  }
}

}  // namespace baton::dynamic
