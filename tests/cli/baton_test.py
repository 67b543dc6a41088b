#!/usr/bin/env python3
"""The `baton` tool: what it says is true, and it fails when it cannot. Usage: baton_test.py BIN_FOLDER"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

BIN = os.path.abspath(sys.argv.pop(1))
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def baton(*words, **environment):
    return subprocess.run([os.path.join(BIN, "baton"), *words], capture_output=True, text=True, timeout=600,
                          env={**os.environ, **environment})


class Baton(unittest.TestCase):
    def test_the_settings_page_is_fresh(self):
        with open(os.path.join(ROOT, "docs", "settings.md")) as file:
            self.assertEqual(file.read(), baton("settings", "--markdown").stdout,
                             "make it anew: build/bin/baton settings --markdown > docs/settings.md")

    def test_a_setting_from_the_environment_is_shown(self):
        line = next(line for line in baton("settings", BATON_EAGER_BYTES_MAX="1k").stdout.splitlines()
                    if line.startswith("BATON_EAGER_BYTES_MAX"))
        self.assertRegex(line, r" 1k +environment ")

    def test_a_misspelt_setting_is_reported_with_the_nearest(self):
        done = baton("settings", BATON_EAGER_BYTE_MAX="1k")
        self.assertIn("BATON_EAGER_BYTES_MAX", done.stderr)

    def test_output_that_cannot_be_written_is_a_failure(self):
        for words in ("--help", "settings", "settings --markdown", "topo", "doctor", "--version"):
            for way in (">/dev/full", ">&-", "| true"):
                done = subprocess.run(["bash", "-c", f"(sleep 0.1; exec '{BIN}/baton' {words}) {way}; "
                                       "exit ${PIPESTATUS[0]}"], capture_output=True, text=True, timeout=600)
                self.assertEqual(done.returncode, 1, (words, way, done.stderr))
                self.assertIn("baton: standard output could not be written", done.stderr)
        done = subprocess.run(["bash", "-c", f"'{BIN}/baton' settings 2>/dev/full"], capture_output=True, timeout=600,
                              env={**os.environ, "BATON_EAGER_BYTE_MAX": "1k"})
        self.assertEqual(done.returncode, 0)

    def test_a_misspelt_command_is_named_with_the_nearest(self):
        for words, told in ((["doctr"], "baton: doctr is not known; did you mean doctor?"), (["xyzzy"], "there are settings"),
                            ([], "say what to do")):
            done = baton(*words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(told, done.stderr)

    def test_wrong_use_is_2_everywhere(self):
        for words in (["topo", "--no-such"], ["topo", "--from", "/no/such"], ["tune", "--seconds", "x"], ["advise", "-n", "0"],
                      ["settings", "more"], ["--page", "html"]):
            self.assertEqual(baton(*words).returncode, 2, words)

    def test_json_says_what_the_text_says(self):
        settings = json.loads(baton("settings", "--json", BATON_EAGER_BYTES_MAX="1k").stdout)
        self.assertIn(("BATON_EAGER_BYTES_MAX", 1024, "environment"),
                      [(row["variable"], row["value"], row["source"]) for row in settings["settings"]])
        topo = json.loads(baton("topo", "--json").stdout)
        self.assertEqual(len(topo["cpus"]), len(os.sched_getaffinity(0)))
        self.assertGreater(topo["ranks_by_default"], 0)
        done = baton("doctor", "--json")
        doctor = json.loads(done.stdout)
        self.assertEqual(doctor["jobs_run"], done.returncode == 0)
        self.assertIn("memory file", [one["subject"] for one in doctor["findings"]])
        info = json.loads(baton("info", "--json").stdout)
        self.assertEqual(info["mpi standard"], "5.0")
        self.assertTrue(os.path.samefile(info["mpiexec"], os.path.join(BIN, "mpiexec")))
        for line in baton("info").stdout.splitlines()[:-1]:
            self.assertIn(line.split("  ")[0].strip(), info)

    def test_bash_completes_commands_and_their_options(self):
        def complete(*words):
            script = baton("--page", "bash").stdout + 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _baton; echo "${COMPREPLY[@]}"'
            done = subprocess.run(["bash", "-c", script, "bash", *words], capture_output=True, text=True, timeout=600)
            self.assertEqual(done.stderr, "")
            return done.stdout.split()
        self.assertEqual(complete("baton", "doc"), ["doctor"])
        self.assertIn("--json", complete("baton", "topo", "--"))

    def test_the_man_page_is_formatted_without_a_warning(self):
        if not shutil.which("groff"):
            self.skipTest("groff is not installed")
        done = subprocess.run(["groff", "-man", "-Tascii", "-ww", "-z"], input=baton("--page", "man").stdout,
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_topo_shows_as_many_cpus_as_there_are(self):
        done = baton("topo")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith(f"{len(os.sched_getaffinity(0))} usable of "), done.stdout)

    def test_topo_refuses_a_file_that_is_no_machine(self):
        done = baton("topo", "--from", os.path.abspath(__file__))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("lstopo", done.stderr)

    def test_doctor_ends_with_a_verdict_that_matches_its_code(self):
        done = baton("doctor")
        self.assertEqual(done.returncode, 1 if "\nBAD" in done.stdout else 0)
        for subject in ("memory file", "single copy", "membarrier", "futex", "/dev/shm", "CPU quota", "huge pages",
                        "huge in files", "MADV_COLLAPSE", "hugetlb pool", "counters", "address space", "locked memory",
                        "open files", "core files", "memory limit", "NUMA calls", "AutoNUMA", "demotion",
                        "interleaving"):
            self.assertRegex(done.stdout, rf"(?m)^(ok|slower|BAD|note) +{subject} ")

    def test_doctor_notices_limits_and_names_the_remedy(self):
        done = subprocess.run(["sh", "-c", f"ulimit -c 0; ulimit -v 4000000; '{BIN}/baton' doctor"], capture_output=True,
                              text=True, timeout=600)
        self.assertRegex(done.stdout, r"(?m)^note +core files .*ulimit -c unlimited")
        self.assertRegex(done.stdout, r"(?m)^(BAD|slower|ok) +address space .*ulimit -v")

    def test_doctor_notices_a_small_file_limit(self):
        done = subprocess.run(["sh", "-c", f"ulimit -f 100; '{BIN}/baton' doctor"], capture_output=True, text=True,
                              timeout=600)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("ulimit -f", done.stdout)

    def test_doctor_says_what_no_cross_memory_attach_means_for_windows(self):
        self.assertRegex(baton("doctor", BATON_CMA="0").stdout, r"(?m)^slower +windows .*\(BATON_CMA=0\): a target carries "
                         r"them out only while it is in MPI; use MPI_Win_allocate, .*BATON_PROGRESS_THREAD=1$")

    def test_doctor_says_what_works_in_a_folder_and_leaves_nothing_there(self):
        with tempfile.TemporaryDirectory() as folder:
            done = baton("doctor", folder, "--json")
            told = json.loads(done.stdout)
            self.assertEqual((done.returncode, told["files_work"]), (0, True), done.stdout)
            subjects = [one["subject"] for one in told["findings"]]
            self.assertEqual(subjects, ["folder", "space", "locks", "preallocate", "mapping", "O_DIRECT", "io_uring"])
            self.assertEqual(os.listdir(folder), [])
        done = baton("doctor", folder)  # which is gone
        self.assertEqual(done.returncode, 1)
        self.assertIn("programs cannot write files there", done.stdout)

    def test_doctor_notices_another_launcher(self):
        self.assertIn("PMI_RANK is set", baton("doctor", PMI_RANK="0").stdout)

    def test_what_is_not_built_says_so_and_fails(self):
        for name in ("explain",):
            done = baton(name)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("not built yet", done.stderr)

    def test_help_and_version_succeed_and_nonsense_does_not(self):
        self.assertEqual(baton("--help").returncode, 0)
        self.assertIn("Baton", baton("--version").stdout)
        self.assertNotEqual(baton("nonsense").returncode, 0)
        self.assertNotEqual(baton().returncode, 0)


if __name__ == "__main__":
    unittest.main(verbosity=1)
