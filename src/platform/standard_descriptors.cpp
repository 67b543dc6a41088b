#include "platform/standard_descriptors.hpp"

#include <fcntl.h>

#include <initializer_list>

namespace baton::platform {

void open_standard_descriptors() {
  for (int descriptor : {0, 1, 2})
    if (fcntl(descriptor, F_GETFD) < 0)
      // open() takes the lowest free number, which is this one.
      (void)open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);
}

}  // namespace baton::platform
