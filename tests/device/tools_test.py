#!/usr/bin/env python3
"""What mpiexec and baton know of devices: on a machine that is described by files (BATON_DEVICES_ROOT), with the stand-in for
the driver. Usage: tools_test.py BIN_FOLDER PROGRAM_FOLDER [unittest's]"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "faults"))
from faults_test import CLEAN, launch, mpiexec  # noqa: E402

STANDIN = os.path.join(launch.PROGRAMS, "device")
SAY = "echo rank $BATON_RANK uses ${BATON_LOCAL_DEVICE-none} of ${CUDA_VISIBLE_DEVICES-all}"


class Tools(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for number, bus in enumerate(("0000:1b:00.0", "0000:1c:00.0")):
            self.write(f"sys/bus/pci/drivers/nvidia/{bus}/local_cpulist", "")
            self.write(f"sys/bus/pci/drivers/nvidia/{bus}/numa_node", "0")
            self.write(f"proc/driver/nvidia/gpus/{bus}/information",
                       f"Model: \t Stand-in\nGPU UUID: \t GPU-{number}aa\nDevice Minor: \t {number}\n")
        for name in ("nvidiactl", "nvidia-uvm", "nvidia0"):
            self.write("dev/" + name, "")
        self.write("sys/module/nvidia/version", "550.1\n")
        self.where = {**CLEAN, "BATON_DEVICES_ROOT": self.folder.name}

    def write(self, path, text):
        path = os.path.join(self.folder.name, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)

    def lines(self, *words, **environment):
        job = mpiexec(*words, "sh", "-c", SAY, env={**self.where, **environment})
        self.assertEqual(job.code, 0, job.out + job.err)
        return sorted(job.out.splitlines())

    def baton(self, *words, **environment):
        return subprocess.run([os.path.join(launch.BIN, "baton"), *words], capture_output=True, text=True, timeout=600,
                              env={**os.environ, **self.where, "LD_LIBRARY_PATH": STANDIN, **environment}).stdout

    def test_ranks_know_which_device_is_theirs(self):
        self.assertEqual(self.lines("-n", 4), [f"rank {rank} uses {rank % 2} of all" for rank in range(4)])
        self.assertEqual(self.lines("-n", 2, "--map-by", "gpu"), ["rank 0 uses 0 of all", "rank 1 uses 1 of all"])

    def test_they_count_those_that_they_see(self):
        for value in "1", "GPU-1aa":
            self.assertEqual(self.lines("-n", 2, CUDA_VISIBLE_DEVICES=value),
                             [f"rank {rank} uses 0 of {value}" for rank in range(2)])
        self.assertEqual(self.lines("-n", 1, CUDA_VISIBLE_DEVICES="-1"), ["rank 0 uses none of -1"])

    def test_a_program_that_sees_others_is_told_nothing(self):
        said = self.lines("-n", 1, "sh", "-c", SAY, ":", "-env", "CUDA_VISIBLE_DEVICES", "1", "-n", 1)
        self.assertEqual(said, ["rank 0 uses 0 of all", "rank 1 uses none of 1"])

    def test_a_machine_without_devices_tells_nothing(self):
        self.where["BATON_DEVICES_ROOT"] = "/no/such"
        self.assertEqual(self.lines("-n", 1, BATON_LOCAL_DEVICE="5"), ["rank 0 uses none of all"])
        job = mpiexec("-n", 1, "--map-by", "gpu", "true", env=self.where)
        self.assertEqual(job.code, 2)
        self.assertIn("--map-by gpu: no device is seen here", job.err)

    def test_the_report_shows_devices(self):
        job = mpiexec("-n", 3, "--map-by", "gpu", "--dry-run", "--report-binding", "true", env=self.where)
        self.assertIn("device 0 (Stand-in, 0000:1b:00.0, NUMA node 0): ranks 0,2\n", job.out)
        self.assertIn("device 1 (Stand-in, 0000:1c:00.0, NUMA node 0): rank 1\n", job.out)

    def test_topo_and_info_name_them(self):
        self.assertIn("device 1 (Stand-in, 0000:1c:00.0, NUMA node 0)", self.baton("topo"))
        self.assertEqual([one["uuid"] for one in json.loads(self.baton("topo", "--json"))["devices"]], ["GPU-0aa", "GPU-1aa"])
        self.assertIn("Stand-in (0000:1b:00.0), Stand-in (0000:1c:00.0)", self.baton("info"))

    def test_doctor_asks_the_driver(self):
        told = self.baton("doctor")
        for part in ("device 0         Stand-in, 64 GiB, 0000:1B:00.0, near NUMA node 0", "NVIDIA's of version 550.1",
                     "CUDA 12.4", "one rank may open another's (IPC)", "/dev/nvidia1: No such file or directory"):
            self.assertIn(part, told)

    def test_doctor_says_what_is_missing(self):
        self.assertIn("the driver's error 1", self.baton("doctor", STANDIN_NO_IPC="1"))
        self.assertIn("the driver's error 2", self.baton("doctor", STANDIN_NO_OPEN="1"))
        self.assertIn("hides every device", self.baton("doctor", STANDIN_NO_START="100"))
        self.assertIn("parts of devices (MIG) do not open", self.baton("doctor", STANDIN_NAME="Stand-in MIG 1g.5gb"))
        self.assertIn("libcuda.so.1: cannot open", self.baton("doctor", LD_LIBRARY_PATH=""))


    def report(self, **environment):
        where = {**self.where, "TEST_DEVICE_DRIVER": os.path.join(STANDIN, "libcuda.so.1"), "LD_LIBRARY_PATH": STANDIN,
                 "BATON_DEVICE": "1", **environment}
        job = mpiexec("-n", 2, "--memory-report", os.path.join(launch.PROGRAMS, "device_program"), "load", "send", "device",
                      "device", 100, 1, env=where)
        self.assertEqual(job.code, 0, job.out + job.err)
        return job.err

    def test_the_memory_report_tells_device_memory(self):
        self.assertIn("contexts included (NVML): rank 0 10.0 MiB, rank 1 10.0 MiB\n", self.report())
        self.assertIn("rank 0-1: device memory is not known: libnvidia-ml.so.1", self.report(STANDIN_OTHER_PIDS="1"))


if __name__ == "__main__":
    unittest.main(verbosity=1)
