#include "message/core/shortcuts.hpp"

#include "base/event.hpp"
#include "message/core/engine.hpp"
#include "platform/memory_kind.hpp"

namespace baton::message {

void note_shortcuts() {
  const bool barred = platform::threads_multiple || platform::memory_kinds.any() ||
                      platform::load_shared(engine.lost.any) || is_told(Event::protocol_chosen);
  // Short messages read it without more ado: it never changes while there are several threads, for
  // which it is set.
  if (platform::load_shared(engine.shortcuts_barred) != barred)
    platform::store_shared(engine.shortcuts_barred, barred);
}

}  // namespace baton::message
