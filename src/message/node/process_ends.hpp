// Finds out which processes of a node have ended, where no launcher tells: who makes progress looks
// now and then.
#pragma once

#include <cstdint>

namespace baton::message {

// The looks at a number of processes, each known by its index. Used under the progress lock.
class ProcessEnds {
 public:
  ProcessEnds() = default;
  ProcessEnds(const ProcessEnds&) = delete;
  ProcessEnds& operator=(const ProcessEnds&) = delete;
  ~ProcessEnds() { forget(); }

  // Begins another look at so many processes if it is time for one.
  bool begin_look(std::uint32_t count);
  // Looks at a process, by its number in the system; returns whether it has ended.
  bool look_at(std::uint32_t index, int process);
  // Takes note of an end of which the process itself has told.
  void note_end(std::uint32_t index) { seen_[index].has_ended = true; }
  // Returns whether an end was seen, or noted: what the process has written is visible by now.
  bool has_ended(std::uint32_t index) const { return seen_[index].has_ended; }
  // Forgets what was seen, before other processes have the indices.
  void forget();

 private:
  struct Seen {
    unsigned long long began = 0;  // 0: it was not looked at yet
    bool has_ended = false;
  };
  bool looks_closely_at(std::uint32_t index) const;

  Seen* seen_ = nullptr;
  std::uint32_t count_ = 0;
  std::uint32_t closely_from_ = 0;  // the processes that this look examines closely
  std::int64_t next_ms_ = 0;
};

}  // namespace baton::message
