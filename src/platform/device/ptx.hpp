// The code of kernels in NVIDIA's assembly language (PTX), which the driver translates for its
// device: of reductions one kernel for each operation and element, and one that copies data with
// gaps. cuda.hpp loads them. Source:
// "Parallel Thread Execution ISA"; version and target are the oldest that CUDA 13's drivers
// translate, so that every later device has them.
#pragma once

#include <cstddef>

#include "platform/device/device_reduction.hpp"

namespace baton::platform::cuda {

inline constexpr std::size_t kernel_text_bytes = 3072;
inline constexpr std::size_t kernel_name_bytes = 64;

// Writes the kernel's name, baton_OPERATION_NUMBER or baton_OPERATION_NUMBER_NUMBER.
void write_kernel_name(DeviceOperation operation, const DeviceElement& element,
                       char (&name)[kernel_name_bytes]);
// Writes the text of a module with that kernel: (const void* in, void* inout, u64 count). Its
// threads divide the elements, however many there are. The operation is defined on the element.
void write_kernel(DeviceOperation operation, const DeviceElement& element,
                  char (&text)[kernel_text_bytes]);

// The text of a module with the kernel of planes: (const KernelPlane* planes). The blocks of row y
// of the grid copy plane y, and divide its rows; the threads of a row of a block divide a row's
// words.
extern const char planes_kernel_text[];
inline constexpr char planes_kernel_name[] = "baton_copy_planes";

}  // namespace baton::platform::cuda
