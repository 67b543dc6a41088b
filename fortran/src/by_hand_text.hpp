// Procedures with strings whose lengths are arguments, and those that spawn programs. Included by
// by_hand.hpp.
#pragma once

#include <memory>
#include <vector>

#include "convert.hpp"

namespace baton::fortran::by_hand {

// --- strings whose lengths are arguments. C's count the null, Fortran's do not.

template <auto Call>
void info_get(Fint* info, const char* key, int* valuelen, char* value, int* flag, Fint* ierror,
              std::size_t key_length, std::size_t value_length) {
  const Text c_key(key, key_length, Text::both_ends);
  std::vector<char> text(static_cast<std::size_t>(*valuelen < 0 ? 0 : *valuelen) + 1);
  const int error = Call(handle<MPI_Info>(*info), c_key.c_str(), *valuelen, text.data(), flag);
  if (!error && *flag) fill(value, value_length, text.data());
  tell(ierror, error);
}

template <auto Call>
void info_get_string(Fint* info, const char* key, int* buflen, char* value, int* flag, Fint* ierror,
                     std::size_t key_length, std::size_t value_length) {
  const Text c_key(key, key_length, Text::both_ends);
  const int space = *buflen;
  std::vector<char> text(static_cast<std::size_t>(space < 0 ? 0 : space) + 1);
  int length = space > 0 ? space + 1 : space;
  const int error = Call(handle<MPI_Info>(*info), c_key.c_str(), &length, text.data(), flag);
  if (!error && *flag) {
    *buflen = length - 1;
    if (space > 0) fill(value, value_length, text.data());
  }
  tell(ierror, error);
}

template <auto Call>
void session_get_nth_pset(Fint* session, Fint* info, int* n, int* pset_len, char* name,
                          Fint* ierror, std::size_t name_length) {
  const int space = *pset_len;
  std::vector<char> text(static_cast<std::size_t>(space < 0 ? 0 : space) + 1);
  int length = space > 0 ? space + 1 : space;
  const int error =
      Call(handle<MPI_Session>(*session), handle<MPI_Info>(*info), *n, &length, text.data());
  if (!error) {
    *pset_len = length - 1;
    if (space > 0) fill(name, name_length, text.data());
  }
  tell(ierror, error);
}

// --- spawned programs' arguments.

// A program's arguments, each of `length` characters, `step` elements apart; a blank one ends them.
class Words {
 public:
  Words(const char* words, std::size_t length, std::size_t step = 1) {
    const auto is_blank = [length](const char* word) {
      for (std::size_t i = 0; i < length; ++i)
        if (word[i] != ' ') return false;
      return true;
    };
    for (; !is_blank(words); words += length * step)
      texts_.push_back(std::make_unique<Text>(words, length, Text::both_ends));
    for (const auto& text : texts_) pointers_.push_back(text->c_str());
    pointers_.push_back(nullptr);
  }
  char** data() { return pointers_.data(); }

 private:
  std::vector<std::unique_ptr<Text>> texts_;
  std::vector<char*> pointers_;
};

// Of all but the root the programs say nothing, and may be anything.
inline bool is_root(const Fint* comm, int root) {
  int rank = 0;
  PMPI_Comm_rank(handle<MPI_Comm>(*comm), &rank);
  return rank == root;
}

template <auto Call>
void comm_spawn(const char* command, const char* argv, int* maxprocs, Fint* info, int* root,
                Fint* comm, Fint* intercomm, int* errcodes, Fint* ierror,
                std::size_t command_length, std::size_t argv_length) {
  const Text c_command(command, command_length, Text::both_ends);
  const bool has_none = argv == &mpi_fortran_arguments_.argv_null || !is_root(comm, *root);
  Words words(has_none ? " " : argv, has_none ? 1 : argv_length);
  MPI_Comm made{};
  const int error =
      Call(c_command.c_str(), has_none ? MPI_ARGV_NULL : words.data(), *maxprocs,
           handle<MPI_Info>(*info), *root, handle<MPI_Comm>(*comm), &made, weights_at(errcodes));
  if (!error) *intercomm = number(made);
  tell(ierror, error);
}

template <auto Call>
void comm_spawn_multiple(int* count, const char* commands, const char* argvs, int* maxprocs,
                         Fint* infos, int* root, Fint* comm, Fint* intercomm, int* errcodes,
                         Fint* ierror, std::size_t commands_length, std::size_t argvs_length) {
  const std::size_t programs =
      is_root(comm, *root) && *count > 0 ? static_cast<std::size_t>(*count) : 0;
  const bool has_none = argvs == &mpi_fortran_arguments_.argvs_null;
  std::vector<std::unique_ptr<Text>> texts;
  std::vector<Words> words;
  std::vector<char*> c_commands;
  std::vector<char**> c_argvs;
  for (std::size_t i = 0; i < programs; ++i) {
    texts.push_back(
        std::make_unique<Text>(commands + i * commands_length, commands_length, Text::both_ends));
    c_commands.push_back(texts.back()->c_str());
    if (!has_none) words.emplace_back(argvs + i * argvs_length, argvs_length, programs);
  }
  for (Words& some : words) c_argvs.push_back(some.data());
  Handles<MPI_Info> c_infos(infos, static_cast<std::int64_t>(programs));
  MPI_Comm made{};
  const int error =
      Call(*count, c_commands.data(), has_none ? MPI_ARGVS_NULL : c_argvs.data(), maxprocs,
           c_infos.data(), *root, handle<MPI_Comm>(*comm), &made, weights_at(errcodes));
  if (!error) *intercomm = number(made);
  tell(ierror, error);
}

}  // namespace baton::fortran::by_hand
