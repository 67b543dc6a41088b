#!/usr/bin/env python3
"""Messages from and to device memory, with a stand-in for the device's driver: which way they go and why, what is left
open, and what happens when the driver fails. Usage: device_test.py BIN_FOLDER PROGRAM_FOLDER [unittest's]"""
import os
import re
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "faults"))
from faults_test import CLEAN, Faults, launch, mpiexec  # noqa: E402

DRIVER = os.path.join(launch.PROGRAMS, "device", "libcuda.so.1")


class Device(Faults):
    def run_it(self, *words, options=(), program="device_program", ranks=2, **environment):
        where = {**CLEAN, "BATON_DEVICE": "1", "BATON_EARLY_BYTES_MAX": "65536", "TEST_DEVICE_DRIVER": DRIVER,
                 "BATON_DEVICE_PATIENCE_US": "-1", **environment}
        return mpiexec("--explain=json", *options, "-n", ranks, os.path.join(launch.PROGRAMS, program), *words, env=where)

    def goes(self, *words, ranks=2, **more):
        job = self.run_it(*words, ranks=ranks, **more)
        self.assertEqual(job.code, 0, job.out + job.err)
        self.assertEqual(job.out.count("came to the end"), ranks, job.out + job.err)
        return job

    def left(self, job):
        """What is left of each rank at its end."""
        found = re.findall(r"rank (\d) has (\d+) streams, (\d+) events, (\d+) imports, (\d+) blocks", job.out)
        return set({row[0]: tuple(map(int, row[1:])) for row in found}.values())

    def test_device_to_device_is_one_copy(self):
        job = self.goes("load", "send", "device", "device", 8, 3, "send", "device", "device", 3 << 20, 2)
        self.assertEqual(self.ways(job).get("device"), 5)
        self.assertEqual(self.left(job), {(0, 0, 0, 0)})

    def test_a_driver_that_is_there_before_mpi(self):
        job = self.goes("first", "send", "device", "device", 100000, 3, BATON_DEVICE="-1")
        self.assertEqual(self.ways(job).get("device"), 3)

    def test_many_at_once(self):
        job = self.goes("load", "exchange", 1, 100, "exchange", 10000, 64, "exchange", 1 << 20, 16)
        self.assertEqual(self.ways(job).get("device"), 2 * (100 + 64 + 16))
        self.assertEqual(self.left(job), {(0, 0, 0, 0)})

    def test_copies_that_take_long(self):
        job = self.goes("load", "exchange", 10000, 32, STANDIN_DELAY_US="2000")
        self.assertEqual(self.ways(job).get("device"), 64)

    def test_programs_whose_ranks_all_send_first(self):
        """Their short messages are buffered, as those from host memory are."""
        for ranks in 2, 3:
            job = self.goes(*(word for size in (1, 48, 3000, 60000) for word in ("first_send", size, 20)), ranks=ranks,
                            program="order_program", BATON_DEVICE_PATIENCE_US="200")
            self.assertTrue(any("came late" in words for words in self.why(job)), self.why(job))
        self.goes("first_send", 3000, 20, program="order_program", BATON_DEVICE_PATIENCE_US="200", BATON_EAGER_BYTES_MAX="48")

    def test_short_messages_whose_receives_are_late(self):
        for patience in "0", "100", "-1":
            for size in 8, 5000, 60000:
                self.goes("late", size, 60, program="order_program", BATON_DEVICE_PATIENCE_US=patience)

    def test_messages_that_are_cut_or_taken_back(self):
        self.goes("load", "odd")

    def test_memory_that_others_cannot_open_is_staged(self):
        for kind in "pool", "virtual", "managed":
            job = self.goes("load", "send", kind, "device", 100000, 2)
            self.assertNotIn("device", self.ways(job))
            self.assertTrue(any("the driver exports no handle" in words for words in self.why(job)), self.why(job))
        job = self.goes("load", "send", "device", "pool", 100000, 2)
        self.assertEqual(self.ways(job).get("device"), 2)

    def test_memory_with_descriptors_is_mapped(self):
        job = self.goes("load", "send", "shareable", "device", 100000, 3, "send", "shareable", "host", 100000, 3,
                        "send", "device", "shareable", 8, 3, "allreduce", "shareable", "device", 100000, 3)
        self.assertEqual(self.ways(job).get("device"), 9 + 12)
        self.assertEqual(self.left(job), {(0, 0, 0, 0)})
        job = self.goes("load", "send", "shareable", "device", 5000, 2000, "counts")
        self.assertLessEqual(max(int(number) for number in re.findall(r"(\d+) imports", job.out)), 24)
        for fault in "STANDIN_NO_EXPORT", "STANDIN_NO_OPEN":
            job = self.goes("load", "send", "shareable", "device", 100000, 3, **{fault: "1"})
            self.assertNotIn("device", self.ways(job))

    def test_memory_of_a_shared_pool_is_open_only_while_it_is_copied(self):
        """The stand-in ends a process that frees what another one has open."""
        job = self.goes("load", "send", "shared_pool", "device", 300000, 3, "send", "shared_pool", "host", 300000, 3,
                        "send", "device", "shared_pool", 8, 3, "cross", "shared_pool", "shared_pool", 300000, 20)
        self.assertEqual(self.ways(job).get("device"), 9 + 40)
        self.assertEqual(self.left(job), {(0, 0, 0, 0)})
        job = self.goes("load", "send", "shared_pool", "device", 300000, 500, "counts")
        self.assertEqual(self.ways(job).get("device"), 500)
        self.assertLessEqual(max(int(number) for number in re.findall(r"(\d+) imports", job.out)), 1)
        job = self.goes("load", "cross", "host", "shared_pool", 400000, 20)
        self.assertGreaterEqual(self.ways(job).get("device"), 30)
        self.assertEqual(self.left(job), {(0, 0, 0, 0)})

    def test_memory_of_a_shared_pool_that_is_staged(self):
        job = self.goes("load", "send", "shared_pool", "device", 100000, 3)
        self.assertNotIn("device", self.ways(job))
        self.assertTrue(any("or short" in words for words in self.why(job)), self.why(job))
        for fault in "STANDIN_NO_EXPORT", "STANDIN_NO_OPEN", "STANDIN_NO_POINTER":
            job = self.goes("load", "send", "shared_pool", "device", 300000, 3, "send", "host", "shared_pool", 600000, 3,
                            "allreduce", "shared_pool", "shared_pool", 100000, 3, **{fault: "1"})
            self.assertNotIn("device", self.ways(job))

    def test_host_memory_on_one_side(self):
        """Long data goes straight between a device and host memory; short data is staged."""
        job = self.goes("load", "send", "device", "host", 100000, 2)
        self.assertEqual(self.ways(job).get("device"), 2)
        for kinds in ("device", "host"), ("host", "device"):
            job = self.goes("load", "send", *kinds, 1000, 2)
            self.assertNotIn("device", self.ways(job))
        job = self.goes("load", "send", "device", "host", 1000, 2)
        self.assertTrue(any("the data of only one rank lies in device memory" in words for words in self.why(job)))

    def test_the_host_copies_to_another_rank_s_device(self):
        """The sender copies to its receiver's device memory what early bytes, or a staging buffer that the two hand to each other,
        do not hold."""
        for here in "host", "pinned", "mpi":
            for there in "device", "shareable":
                job = self.goes("load", "send", here, there, 300000, 5, "counts")
                self.assertEqual(self.ways(job).get("device"), 5)
                self.assertNotIn("pipelined", self.ways(job))
        job = self.goes("load", "cross", "host", "device", 1 << 20, 16, "cross", "mpi", "shareable", 200000, 40)
        self.assertGreaterEqual(self.ways(job).get("device"), 2 * 40)
        self.assertEqual(self.left(job), {(0, 0, 0, 0)})

    def test_the_host_copies_long(self):
        job = self.goes("load", "cross", "host", "device", 200000, 32, STANDIN_DELAY_US="2000")
        self.assertGreaterEqual(self.ways(job).get("device"), 50)

    def test_parts_of_what_the_host_sends(self):
        self.goes("load", "cut", 300000, "cut", 100000)
        # The first bytes go through a staging buffer that the sender keeps, the rest by the device.
        job = self.goes("load", "send", "host", "host", 100000, 20, "send", "host", "device", 300000, 5, "cut", 300000,
                        BATON_CMA="0")
        self.assertGreaterEqual(self.ways(job).get("device"), 5)
        self.goes("load", "cut", 5000, BATON_DEVICE_BYTES_MIN="0", BATON_PIPELINE_EARLY="0", BATON_EAGER_BYTES_MAX="48")

    def test_the_host_s_data_is_staged_where_the_device_cannot_be_opened(self):
        for words, fault in (("could not open the memory", {"STANDIN_NO_OPEN": "1"}),
                             ("the driver exports no handle", {"STANDIN_NO_IPC": "1"}),
                             ("BATON_DEVICE_IPC=0", {"BATON_DEVICE_IPC": "0"})):
            job = self.goes("load", "send", "host", "device", 300000, 3, **fault)
            self.assertEqual(self.ways(job).get("pipelined"), 3)
            self.assertTrue(any(words in why for why in self.why(job)), self.why(job))
        job = self.goes("load_second", "send", "host", "device", 300000, 3)
        self.assertEqual(self.ways(job).get("pipelined"), 3)
        self.assertTrue(any("the other has no context" in why for why in self.why(job)), self.why(job))
        for there in "pool", "managed":
            job = self.goes("load", "send", "host", there, 300000, 3)
            self.assertEqual(self.ways(job).get("pipelined"), 3)

    def test_a_receiver_that_dies_meanwhile(self):
        job = self.run_it("load", "die", 1 << 20, options=("--continue-on-failure",), STANDIN_DELAY_US="1000000")
        self.assertRegex(job.out, "rank 0 lives on, and has [1-9]", job.err)

    def counted(self, job, what):
        """What the ranks have counted last, by rank."""
        return {int(rank): int(number) for rank, number in re.findall(rf"rank (\d): .*?(\d+) {what}", job.out)}

    def test_shared_host_memory_is_registered_while_it_is_used(self):
        for words in (["send", "device", "mpi", 100000, 2], ["send", "pool", "host", 300000, 2]):
            job = self.goes("load", *words, "counts")
            self.assertTrue(any(self.counted(job, "once").values()), job.out)
            self.assertEqual(self.counted(job, "registered"), {0: 0, 1: 0})
        for fault in {"BATON_DEVICE_REGISTER": "0"}, {"STANDIN_NO_REGISTER": "1"}:
            job = self.goes("load", "send", "device", "mpi", 100000, 2, "send", "pool", "host", 300000, 2, "counts",
                            **fault)
            self.assertFalse(any(self.counted(job, "once").values()), job.out)

    def test_what_is_freed_is_not_registered_any_more(self):
        job = self.goes("load", *["send", "device", "mpi", 100000, 2] * 30, "counts")
        self.assertLess(max(int(number) for number in re.findall(r"(\d+) registered", job.out)), 5)
        self.assertGreaterEqual(self.counted(job, "once")[1], 30)
        self.assertEqual(self.left(job), {(0, 0, 0, 0)})

    def test_long_sums_are_computed_where_they_lie(self):
        for form in "allreduce", "in_place":
            job = self.goes("load", form, "device", "device", 100000, 3)
            self.assertEqual(self.counted(job, "launches"), {0: 3, 1: 3})
            self.assertEqual(self.left(job), {(0, 0, 0, 0)})
            self.assertEqual(self.counted(job, "modules"), {0: 0, 1: 0})
        self.assertIn("device_memory", job.err + job.out)

    def test_nonblocking_sums_stay_once_ranks_know(self):
        job = self.goes("load", "allreduce", "device", "device", 100000, 1, "iallreduce", "device", "device", 100000, 4)
        self.assertEqual(self.counted(job, "launches"), {0: 5, 1: 5})

    def test_programs_of_nonblocking_or_persistent_sums_alone(self):
        for form in "iallreduce", "persistent":
            job = self.goes("load", form, "device", "device", 100000, 5)
            self.assertEqual(self.counted(job, "launches"), {0: 5, 1: 5}, form)
            self.assertEqual(self.left(job), {(0, 0, 0, 0)})
            # The second rank's data is the host's: it goes by copies, and the first one knows nothing of that.
            job = self.goes("load", form, "device", "host", 100000, 5)
            self.assertEqual(self.counted(job, "launches"), {0: 5, 1: 0}, form)
            job = self.goes("load", form, "host", "host", 100000, 5)
            self.assertEqual(self.counted(job, "launches"), {0: 0, 1: 0}, form)

    def test_sums_that_are_checked(self):
        for form in "allreduce", "iallreduce", "persistent":
            job = self.goes("load", form, "device", "device", 100000, 5, options=("--check",))
            self.assertEqual(self.counted(job, "launches"), {0: 5, 1: 5}, form)

    def test_many_calls_under_way_at_once(self):
        for options in (), ("--check",):
            for kinds in ("device", "device"), ("device", "host"), ("host", "host"):
                job = self.goes("load", "overlap", *kinds, 20000, 40, options=options)
                launches = self.counted(job, "launches")
                self.assertEqual(launches, {rank: 40 if kinds == ("device", "device") or kind == "device" else 0
                                            for rank, kind in enumerate(kinds)})
        self.goes("load", "overlap", "device", "host", 20000, 40, BATON_PROGRESS_THREAD="1")

    def test_runs_without_a_rule_are_copied_by_a_kernel(self):
        for kinds in ("device", "device"), ("device", "host"), ("host", "device"), ("pool", "managed"):
            job = self.goes("load", "gaps", *kinds, 3000, 3, BATON_DEVICE_BYTES_MIN="0")
            for rank, kind in enumerate(kinds):
                if kind != "host":
                    self.assertGreaterEqual(self.counted(job, "launches")[rank], 3)
                    self.assertLess(self.counted(job, "copies")[rank], 100)
            self.assertEqual(self.left(job), {(0, 0, 0, 0)})
            self.assertEqual(self.counted(job, "registered"), {0: 0, 1: 0})
        job = self.goes("load", "gaps", "device", "host", 100, 5)
        self.assertEqual(self.counted(job, "launches"), {0: 0, 1: 0})

    def test_runs_without_a_rule_where_there_are_no_kernels(self):
        for fault in "STANDIN_NO_KERNELS", "STANDIN_NO_LAUNCH", "STANDIN_NO_REGISTER", "STANDIN_NO_REACH":
            job = self.goes("load", "gaps", "device", "device", 3000, 3, BATON_DEVICE_BYTES_MIN="0", **{fault: "1"})
            self.assertEqual(self.counted(job, "launches"), {0: 0, 1: 0})

    def test_each_rank_may_have_its_data_elsewhere(self):
        job = self.goes("load", "allreduce", "device", "host", 100000, 3, "allreduce", "host", "managed", 100000, 3,
                        "allreduce", "pool", "device", 100000, 2)
        self.assertEqual(self.counted(job, "launches"), {0: 3, 1: 2})

    def test_sums_of_the_host_need_no_device(self):
        job = self.goes("load", "allreduce", "host", "host", 100000, 70, "allreduce", "device", "device", 1000, 3)
        self.assertEqual(self.counted(job, "launches"), {0: 0, 1: 0})

    def test_a_device_that_gives_nothing_is_done_without(self):
        for fault in {"STANDIN_NO_KERNELS": "1"}, {"STANDIN_NO_LAUNCH": "1"}, {"STANDIN_MEMORY_MAX": "1000"}, \
                {"BATON_DEVICE_IPC": "0"}, {"STANDIN_NO_IPC": "1"}:
            self.goes("load", "allreduce", "device", "device", 100000, 3, "iallreduce", "device", "device", 100000, 3,
                      **fault)

    def test_parts(self):
        for kinds in ("device", "device"), ("device", "host"), ("host", "device"), ("pool", "managed"):
            self.goes("load", "parts", *kinds, 10000, 7, "parts", *kinds, 8, 3, "parts", *kinds, 200000, 2)

    def test_files(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "file")
        for kinds in ("device", "device"), ("device", "host"), ("pool", "managed"):
            self.goes("load", "file", path, *kinds, 100000, "file", path, *kinds, 10)

    def between_nodes(self, *words, personality="hmem", width=1, **more):
        """Nodes of so many ranks, over a provider of the tests'."""
        return self.goes(*words, BATON_RANKS_PER_NODE=str(width), BATON_NETWORK_PROVIDER="fake", FAKE_PROVIDER=personality,
                         BATON_LIBFABRIC=os.path.join(launch.PROGRAMS, "libfabric_fake.so"), FAKE_PROVIDER_TELLS="1",
                         **more)

    def between_the_nodes(self, job, what="messages"):
        """Of long messages, from --explain=json; those whose receive was posted first may have been advertised."""
        return sum(way[what] for row in self.told(job) if row["peers"] == "between_nodes" for way in row["ways"]
                   if way["way"] in ("network_write", "network_device", "receiver_initiated"))

    def sent_between_nodes(self, job):
        return self.between_the_nodes(job, "bytes")

    def registered(self, job):
        """Of each rank: how many allocations were registered, at all interfaces, and the most at once."""
        found = re.findall(r"fake provider: (\d+) regions of device memory, (\d+) at once", job.err)
        return [tuple(map(int, one)) for one in found]

    def test_between_nodes_the_adapter_reaches_the_device(self):
        """Nothing is copied to or from host memory, and each allocation is registered once. The provider ends a rank that
        names memory as what it is not, or uses what was freed."""
        for personality in "hmem", "hmem,loose", "hmem,rails,overtake", "hmem,rma":
            job = self.between_nodes("load", "cross", "device", "device", 300000, 20, "send", "device", "host", 3 << 20, 2,
                                     "counts", personality=personality)
            self.assertEqual(self.between_the_nodes(job), 42, personality)
            self.assertEqual(self.counted(job, "copies"), {0: 0, 1: 0})
            self.assertEqual(self.counted(job, "flushes"), {0: 20, 1: 20})
            interfaces = 3 if "rails" in personality else 1
            self.assertEqual(sorted(all for all, most in self.registered(job)), [2 * interfaces, 4 * interfaces])
        self.assertIn("its adapter reaches device memory", job.err + job.out)

    def test_between_nodes_receives_that_were_posted_first_are_advertised(self):
        for kind in "device", "host":
            advertised = 0
            for seed in range(20):  # the provider has no space now and then, and then none is
                job = self.between_nodes("posted", kind, "device", 300000, 8, program="order_program",
                                         FAKE_PROVIDER_SEED=str(seed))
                self.assertEqual(self.between_the_nodes(job), 8)
                self.assertEqual(self.counted(job, "flushes"), {0: 0, 1: 8})
                advertised += self.ways(job).get("receiver_initiated", 0)
                if advertised:
                    break
            self.assertGreater(advertised, 0)
        for fault in {"personality": "hmem_full"}, {"BATON_DEVICE_NETWORK": "0"}, {"personality": ""}:
            job = self.between_nodes("posted", "device", "device", 300000, 8, program="order_program", **fault)
            self.assertEqual(self.ways(job).get("network_write"), 8)

    def test_between_nodes_registrations_end_with_their_memory(self):
        job = self.between_nodes("load", "send", "device", "device", 100000, 300, "counts")
        self.assertEqual(self.ways(job).get("network_device"), 300)
        self.assertEqual(self.counted(job, "copies"), {0: 0, 1: 0})
        self.assertEqual(sorted(all for all, most in self.registered(job)), [1, 300])
        self.assertLessEqual(max(most for all, most in self.registered(job)), 3)
        job = self.between_nodes("load", "cross", "device", "device", 100000, 3, "send", "device", "device", 100000, 20,
                                 BATON_DEVICE_HANDLES_MAX="1")
        self.assertEqual(max(most for all, most in self.registered(job)), 1)

    def test_between_nodes_what_is_not_reached_is_staged(self):
        for personality, words, more in (
                ("", "its provider does not say", {}), ("hmem_full", "refused to register it", {}),
                ("hmem", "switched off by BATON_DEVICE_NETWORK=0", {"BATON_DEVICE_NETWORK": "0"})):
            job = self.between_nodes("load", "send", "device", "device", 300000, 3, personality=personality, **more)
            self.assertEqual(self.ways(job).get("network_write"), 3)
            self.assertTrue(any(words in why for why in self.why(job)), self.why(job))
            self.assertEqual({all for all, most in self.registered(job)}, {0})
        job = self.between_nodes("load", "send", "managed", "device", 100000, 3, "gaps", "device", "host", 30000, 2)
        self.assertEqual(self.ways(job).get("network_device"), 3)  # what the receiver has
        for words in "or it is managed", "the data is not contiguous":
            self.assertTrue(any(words in why for why in self.why(job)), self.why(job))

    def test_between_nodes_parts_and_memory_of_all_kinds(self):
        self.between_nodes("load", "cut", 300000, "cut", 100000, "odd")
        for kind in "pool", "virtual", "shareable", "shared_pool":
            job = self.between_nodes("load", "send", kind, "device", 100000, 2, "send", "host", kind, 100000, 2)
            self.assertEqual(self.ways(job).get("network_device"), 4)

    def test_sums_over_several_nodes_are_computed_within_them(self):
        """Of each node's sum each rank exchanges a part with the other node, and computes on the device."""
        for personality in "", "hmem":
            for form in "allreduce", "in_place", "iallreduce", "persistent":
                job = self.between_nodes("load", form, "device", "device", 100000, 5, ranks=4, width=2,
                                         personality=personality)
                self.assertEqual(self.counted(job, "launches"), {rank: 10 for rank in range(4)}, form)
                self.assertEqual(self.sent_between_nodes(job), 4 * 5 * 100000 * 4 // 2)
                self.assertEqual(self.left(job), {(0, 0, 0, 0)})
            # 3 ranks on one node and 2 on the other: one of each stands for its node.
            job = self.between_nodes("load", "allreduce", "device", "device", 100000, 5, ranks=5, width=3,
                                     personality=personality)
            self.assertEqual(self.sent_between_nodes(job), 2 * 5 * 100000 * 4)
            self.assertGreaterEqual(sum(self.counted(job, "launches").values()), 5 * 4)
        self.assertNotIn("network_write", self.ways(job))

    def test_reductions_and_broadcasts_over_several_nodes(self):
        for personality in "", "hmem":
            job = self.between_nodes("load", "reduce", "device", "device", 100000, 5, "bcast", "device", "device", 400000, 5,
                                     ranks=4, width=2, personality=personality)
            self.assertEqual(self.sent_between_nodes(job), (5 + 5) * 400000)
            self.assertEqual(sum(self.counted(job, "launches").values()), 5 * 3)
            self.assertEqual(self.left(job), {(0, 0, 0, 0)})
        self.assertNotIn("network_write", self.ways(job))

    def test_each_rank_of_several_nodes_may_have_its_data_elsewhere(self):
        for kinds in ("device", "host"), ("host", "managed"), ("pool", "device"):
            self.between_nodes("load", "allreduce", *kinds, 100000, 3, "iallreduce", *kinds, 100000, 3, "reduce", *kinds,
                               100000, 3, "bcast", *kinds, 400000, 5, ranks=4, width=2)
        job = self.between_nodes("load", "allreduce", "host", "host", 100000, 20, ranks=4, width=2)
        self.assertEqual(set(self.counted(job, "launches").values()), {0})

    def test_pinned_memory_is_host_memory(self):
        job = self.goes("load", "send", "pinned", "pinned", 100, 2)
        self.assertEqual(self.ways(job).get("eager"), 2)

    def test_switched_off(self):
        job = self.goes("load", "send", "device", "device", 100000, 2, BATON_DEVICE_IPC="0")
        self.assertNotIn("device", self.ways(job))
        self.assertTrue(any("BATON_DEVICE_IPC=0" in words for words in self.why(job)))

    def test_handles_that_fail_are_staged(self):
        for fault in "STANDIN_NO_IPC", "STANDIN_NO_OPEN":
            job = self.goes("load", "send", "device", "device", 100000, 2, **{fault: "1"})
            self.assertNotIn("device", self.ways(job))

    def test_allocations_that_come_and_go_leave_nothing_open(self):
        job = self.goes("load", "send", "device", "device", 5000, 10000, "counts")
        self.assertEqual(self.ways(job).get("device"), 10000)
        most = max(int(number) for number in re.findall(r"(\d+) imports", job.out))
        self.assertLessEqual(most, 8)
        self.assertEqual(self.left(job), {(0, 0, 0, 0)})

    def test_a_bound_on_what_is_open(self):
        job = self.goes("load", "exchange", 100, 3, "send", "device", "device", 100, 20, BATON_DEVICE_HANDLES_MAX="1")
        self.assertEqual(self.left(job), {(0, 0, 0, 0)})

    def test_a_new_context_in_place_of_the_old_one(self):
        self.goes("load", "send", "device", "device", 5000, 3, "new_context", "send", "device", "device", 5000, 3,
                  "send", "pool", "host", 5000, 3)

    def test_a_child_process(self):
        self.goes("load", "fork")

    def test_promises_spare_the_questions(self):
        with tempfile.TemporaryDirectory() as folder:
            job = self.run_it(os.path.join(folder, "file"), program="promise_program")
        self.assertEqual(job.code, 0, job.out + job.err)
        self.assertEqual(job.out.count("came to the end"), 2, job.out + job.err)

    def fails(self, words, *program, **environment):
        job = self.run_it(*program, **environment)
        self.assertNotEqual(job.code, 0)
        self.assertIn(words, job.err)
        return job

    def test_a_lost_device_ends_the_job_and_says_why(self):
        self.fails("unspecified launch failure", "load", "send", "device", "device", 1000, 3, STANDIN_FAIL_COPY="2")
        self.fails("unspecified launch failure", "load", "send", "pool", "host", 1000, 3, STANDIN_FAIL_COPY="2")
        self.fails("unspecified launch failure", "load", "send", "host", "device", 300000, 3, STANDIN_FAIL_COPY="2")

    def test_a_device_that_is_lost_in_a_sum_ends_the_job(self):
        self.fails("unspecified launch failure", "load", "allreduce", "device", "device", 100000, 3,
                   STANDIN_FAIL_LAUNCH="2")

    def test_a_device_that_is_lost_in_a_kernel_ends_the_job(self):
        self.fails("unspecified launch failure", "load", "gaps", "device", "host", 3000, 3, BATON_DEVICE_BYTES_MIN="0",
                   STANDIN_FAIL_LAUNCH="2")

    def test_no_memory_for_a_stream_ends_the_job_and_says_why(self):
        self.fails("out of memory", "load", "send", "device", "host", 1000, 1, STANDIN_NO_STREAMS="1")

    def test_memory_that_nobody_may_read_looks_like_a_device_s(self):
        for value, remedy in ("-1", "copy the data to host memory before the call"), ("0", "unset it"):
            job = self.fails("looks like device memory", "unreadable", BATON_DEVICE=value)
            self.assertIn(remedy, job.err)
            self.assertIn("in MPI_Send", job.err)

    def test_memory_of_another_maker_is_named(self):
        job = self.fails("looks like device memory", "unreadable", os.path.join(launch.PROGRAMS, "device", "libamdhip64.so.6"),
                         BATON_DEVICE="-1")
        self.assertIn("does not reach memory of AMD's devices", job.err)


if __name__ == "__main__":
    unittest.main(verbosity=1)
