// Writes all kernels that there are, as one module, for ptxas_test.py.
#include <cstdio>
#include <cstring>

#include "platform/device/ptx.hpp"

int main() {
  using namespace baton::platform;
  bool is_first = true;
  for (int operation = 0; operation <= static_cast<int>(DeviceOperation::minimum_location);
       ++operation)
    for (int first = 0; first <= static_cast<int>(DeviceNumber::f64); ++first)
      for (int second = 0; second <= static_cast<int>(DeviceNumber::f64); ++second) {
        const auto of = static_cast<DeviceOperation>(operation);
        const DeviceElement element{static_cast<DeviceNumber>(first),
                                    static_cast<DeviceNumber>(second)};
        if (!is_defined(of, element)) continue;
        char text[cuda::kernel_text_bytes];
        cuda::write_kernel(of, element, text);
        std::fputs(is_first ? text : std::strstr(text, ".visible"), stdout);
        is_first = false;
      }
  std::fputs(std::strstr(cuda::planes_kernel_text, ".visible"), stdout);
  return is_first;
}
