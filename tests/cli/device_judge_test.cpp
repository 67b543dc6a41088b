// What `baton doctor` makes of devices that nobody here has.
#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "cli/doctor/devices.hpp"

using namespace baton::cli::doctor;

namespace {

std::string all_of(const Devices& facts) {
  constexpr const char* words[] = {"ok", "slower", "BAD", "note"};
  std::string text;
  for (const Finding& finding : judge_devices(facts))
    text += std::string(words[static_cast<int>(finding.verdict)]) + " " + finding.subject + ": " +
            finding.text + "; " + finding.remedy + "\n";
  return text;
}

void expect(const Devices& facts, const std::string& part) {
  EXPECT_NE(all_of(facts).find(part), std::string::npos) << part << " is not in:\n"
                                                         << all_of(facts);
}

Devices one() {
  Devices facts;
  facts.present.resize(1);
  facts.present[0].bus = "0000:1b:00.0";
  facts.present[0].numa_node = 1;
  facts.kernel_version = "580.159";
  facts.version = 13000;
  facts.seen.push_back({"NVIDIA H200", "0000:1B:00.0", std::uint64_t{139} << 30});
  return facts;
}

}  // namespace

TEST(doctor_devices, none_are_a_note) {
  Devices facts;
  facts.library_error = "libcuda.so.1: cannot open shared object file";
  EXPECT_EQ(all_of(facts), "note devices: none of NVIDIA's here; \n");
  facts.others = {"/dev/kfd"};
  expect(facts,
         "note other device: /dev/kfd: a device of AMD's or Intel's, perhaps; buffers in its");
}

TEST(doctor_devices, one_that_works_is_told) {
  expect(one(), "ok device 0: NVIDIA H200, 139 GiB, 0000:1B:00.0, near NUMA node 1");
  expect(one(), "ok device driver: NVIDIA's of version 580.159");
  expect(one(), "ok device library: CUDA 13.0");
  expect(one(), "ok device memory: one rank may open another's");
  EXPECT_EQ(all_of(one()).find("slower"), std::string::npos) << all_of(one());
}

TEST(doctor_devices, files_that_cannot_be_opened_have_remedies) {
  Devices facts = one();
  facts.files = {{"/dev/nvidiactl", 0}, {"/dev/nvidia-uvm", ENOENT}, {"/dev/nvidia0", EACCES}};
  expect(facts, "slower device file: /dev/nvidia-uvm: No such file or directory");
  expect(facts, "--gpus all");
  expect(facts, "slower device file: /dev/nvidia0: Permission denied");
  expect(facts, "take part in the group");
}

TEST(doctor_devices, a_driver_that_does_not_work_is_explained) {
  Devices facts = one();
  facts.seen.clear();
  facts.library_error = "libcuda.so.1: cannot open shared object file";
  expect(facts, "slower device driver: libcuda.so.1: cannot open shared object file; buffers in");
  facts.library_error.clear();
  facts.version = 11080;
  facts.is_complete = false;
  expect(facts, "the library is of CUDA 11.8; Baton needs 12");
  facts.is_complete = true;
  facts.start_result = 802;
  expect(facts, "start nvidia-fabricmanager");
  facts.start_result = 100;
  expect(facts, "CUDA_VISIBLE_DEVICES or a control group hides every device");
  facts.is_gone = true;
  expect(facts, "the library ends whoever starts it");
}

TEST(doctor_devices, memory_that_others_cannot_open_is_staged) {
  Devices facts = one();
  facts.ipc_result = 801;
  expect(facts, "slower device memory: one process cannot open another's (the driver's error 801)");
  facts = one();
  facts.seen[0].name = "NVIDIA H200 MIG 1g.18gb";
  facts.is_limited = true;
  expect(facts, "a part of a device (MIG)");
  expect(facts, "note devices: CUDA_VISIBLE_DEVICES leaves 1 of 1");
}
