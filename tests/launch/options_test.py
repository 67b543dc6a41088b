#!/usr/bin/env python3
"""The options that people bring from other launchers do here what they mean there; and what is made of the table of
options. Usage: options_test.py BIN_FOLDER PROGRAM_FOLDER [unittest's]"""
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

BIN, PROGRAMS = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
MPIEXEC = os.path.join(BIN, "mpiexec")
RANK = os.path.join(PROGRAMS, "fake_rank")
WATCHDOG_SECONDS = 300
CPUS = len(os.sched_getaffinity(0))


def run(*words, text=None, env=None, cwd=None):
    return subprocess.run([MPIEXEC, *map(str, words)], input=text, stdin=subprocess.DEVNULL if text is None else None,
                          capture_output=True, text=True, timeout=WATCHDOG_SECONDS, env=env, cwd=cwd)


class Options(unittest.TestCase):
    def starts(self, ranks, *words, warned=None, **more):
        done = run(*words, RANK, "line", "up", **more)
        self.assertEqual((done.returncode, done.stdout.count("up")), (0, ranks), (words, done.stderr))
        if warned is None:
            self.assertEqual(done.stderr, "", words)
        else:
            self.assertIn(warned, done.stderr)
        return done

    def refused(self, told, *words):
        done = run(*words, RANK, "line", "up")
        self.assertEqual((done.returncode, done.stdout), (2, ""), (words, done.stderr))
        self.assertTrue(done.stderr.startswith("mpiexec: "), done.stderr)
        self.assertIn(told, done.stderr, words)


class Hosts(Options):
    def test_this_node_is_accepted_by_each_of_its_names(self):
        name = socket.gethostname()
        for host in ("localhost", "127.0.0.1", "127.0.1.1", "::1", name, name.split(".")[0], name.split(".")[0] + ".example.org"):
            for option in ("-host", "-H", "-hosts", "--host"):
                self.starts(2, option, host, "-n", 2)

    def test_slots_are_the_number_of_ranks_where_nobody_says_another(self):
        self.starts(3, "-host", "localhost:3")
        self.starts(3, "-host", "localhost,localhost,localhost")
        self.starts(1, "-host", "localhost:3", "-n", 1)
        with tempfile.NamedTemporaryFile("w") as file:
            for text, ranks in (("# a comment\nlocalhost slots=2 max_slots=4\n", 2), ("localhost:3\n\n", 3),
                                ("localhost\nlocalhost\n", 2)):
                file.seek(0)
                file.truncate()
                file.write(text)
                file.flush()
                for option in ("--hostfile", "-machinefile", "-f", "-hostfile"):
                    self.starts(ranks, option, file.name)

    def test_hosts_that_make_no_sense_are_refused_with_the_reason(self):
        self.refused("/no/such/file: No such file", "--hostfile", "/no/such/file")
        self.refused("slots are a number", "-host", "localhost:many")


class Ranks(Options):
    def test_ranks_on_a_node_are_the_ranks_where_nobody_says_another_number(self):
        for option in ("-ppn", "-perhost", "-N", "-npernode", "--npernode"):
            self.starts(2, option, 2)
            self.starts(1, option, 2, "-n", 1)
        self.starts(3, "-ppn", 2, "-n", 3)
        self.starts(1, "-pernode")
        self.refused("leave out -n", "-N", 2, "-n", 3)

    def test_ranks_on_each_object(self):
        self.starts(1, "--map-by", "ppr:1:node")
        self.starts(3, "--map-by", "ppr:3:node:OVERSUBSCRIBE")
        self.refused("leave out one of them", "--map-by", "ppr:1:package", "-n", 4097 // 2)
        self.refused("ppr:N:OBJECT", "--map-by", "ppr:x:node")
        self.refused("ppr:N:OBJECT", "--map-by", "ppr:1")

    def test_soft_takes_the_largest_acceptable_number(self):
        self.starts(4, "-n", 5, "-soft", "2:8:2")
        self.starts(1, "-soft", "1")
        self.refused("as small as -n 2", "-n", 2, "-soft", "3")
        self.refused("FIRST:LAST", "-soft", "8:2")

    def test_the_standards_other_options(self):
        self.starts(1, "-n", 1, "-arch", os.uname().machine)
        self.refused("this machine is", "-n", 1, "-arch", "alpha")
        self.starts(1, "-n", 1, "-file", "spec", warned="ignored: -file spec")
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(RANK, os.path.join(folder, "only-here"))
            done = run("-n", 1, "-path", f"/nowhere:{folder}", "only-here", "line", "up")
            self.assertEqual((done.returncode, done.stdout), (0, "up\n"), done.stderr)

    def test_programs_from_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "app")
            with open(name, "w") as file:
                file.write(f"# two programs\n-n 1 {RANK} line 'a b'\n\n-n 2 {RANK} line \"c d\" # twice\n")
            for option in ("-configfile", "--app", "--configfile"):
                done = run(option, name)
                self.assertEqual((done.returncode, sorted(done.stdout.splitlines())), (0, ["a b", "c d", "c d"]), done.stderr)
            self.assertEqual(run("-configfile", name, "true").returncode, 2)
            with open(name, "w") as file:
                file.write(f"-n 1 -configfile {name}\n")
            self.assertIn("one file is enough", run("-configfile", name).stderr)
            self.assertIn("No such file", run("-configfile", name + "x").stderr)


class Environment(Options):
    def show(self, *words):
        done = run(*words, "-n", 1, RANK, "variable", "ONE", "variable", "TWO", env={**os.environ, "ONE": "1", "TWO": "2"})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.split()

    def test_which_variables_ranks_get(self):
        self.assertEqual(self.show("-genvall"), ["1", "2"])
        self.assertEqual(self.show("-envall", "-genvnone"), ["1", "2"])
        for form in ("genv", "env"):
            self.assertEqual(self.show(f"-{form}none"), ["unset", "unset"])
            self.assertEqual(self.show(f"-{form}list", "TWO,THREE"), ["unset", "2"])
            self.assertEqual(self.show(f"-{form}none", f"-{form}", "ONE", "own"), ["own", "unset"])
        self.refused("is no variable's name", "-genvlist", "A,,B")

    def test_standard_input_goes_where_it_is_asked_to(self):
        for who, told in (("all", ["[0] x", "[1] x", "[2] x"]), ("none", []), ("2", ["[2] x"])):
            done = run("-l", "--stdin", who, "-n", 3, "cat", text="x\n")
            self.assertEqual((done.returncode, sorted(done.stdout.splitlines())), (0, told), done.stderr)
        self.refused("the last rank is 1", "--stdin", 2, "-n", 2)
        self.refused("it takes a rank, all or none", "--stdin", "most", "-n", 2)

    def test_much_input_reaches_all_and_a_rank_that_does_not_read_stops_nobody(self):
        text = "".join(f"{i}\n" for i in range(60000))
        done = run("-l", "--stdin", "all", "-n", 2, "wc", "-l", ":", "-n", 1, "true", text=text)
        self.assertEqual((done.returncode, sorted(done.stdout.splitlines())), (0, ["[0] 60000", "[1] 60000"]), done.stderr)


class Places(Options):
    def test_modifiers_of_mapping_and_binding(self):
        for words in (["--map-by", ":OVERSUBSCRIBE"], ["--map-by", "core:OVERSUBSCRIBE"], ["--map-by", "socket"],
                      ["--map-by", "numa:pe=1:NOOVERSUBSCRIBE"], ["--map-by", "slot:HWTCPUS"], ["--bind-to", "socket"],
                      ["--bind-to", "core:overload-allowed"], ["--bind-to", "core:1"], ["--rank-by", "slot"],
                      ["--rank-by", "fill", "--map-by", "package"], ["--rank-by", "span"], ["--rank-by", "socket"],
                      ["--use-hwthread-cpus"], ["--oversubscribe"], ["--nooversubscribe"], ["-bind-to", "none"]):
            self.starts(1, *words, "-n", 1)
        self.refused("is not known; after the level", "--map-by", "core:often")
        self.refused("it takes slot, fill, span", "--rank-by", "size")
        self.refused("--cores LIST", "--map-by", "rankfile:file=x")
        self.refused("from 1 to", "--map-by", "core:pe=99999999999")

    def test_ranks_may_share_cores_or_not(self):
        self.refused("sharing was forbidden", "--nooversubscribe", "-n", CPUS + 1)
        self.refused("sharing was forbidden", "--map-by", "core:NOOVERSUBSCRIBE", "-n", CPUS + 1)
        self.refused("leave out oversubscribe", "--nooversubscribe", "--oversubscribe", "-n", 1)
        self.refused("overload-allowed", "--bind-to", "core", "-n", CPUS + 1)
        done = run("--bind-to", "core:overload-allowed", "-n", CPUS + 1, RANK, "place", "")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(all(int(line.split()[-1]) <= CPUS for line in done.stdout.splitlines()))

    def test_a_set_of_cores_and_hardware_threads(self):
        for option in ("--cpu-set", "--cpu-list"):
            self.starts(1, option, 0)
        self.starts(CPUS, "--use-hwthread-cpus")
        self.refused("there is no usable core 99", "--cpu-set", 99)

    def test_the_map_is_displayed(self):
        for words in (["--display", "map"], ["--display", "bind,allocation"], ["--display-map"], ["--report-bindings"]):
            self.assertIn("1 rank on", run(*words, "-n", 1, RANK).stderr)
        self.refused("it takes map, bind", "--display", "everything", "-n", 1)

    def test_conflicts_are_refused_with_the_remedy(self):
        self.refused("leave out -ppn (-N), or ppr", "-ppn", 2, "--map-by", "ppr:1:package")
        self.refused("leave out --rank-by", "--layout", "1x1", "--rank-by", "fill")


class Output(Options):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def read(self, *parts):
        with open(os.path.join(self.folder, *parts)) as file:
            return file.read()

    def test_lines_begin_as_asked_for(self):
        words = ["-n", 1, RANK, "line", "x"]
        for option in ("-l", "-prepend-rank", "--tag-output"):
            self.assertEqual(run(option, *words).stdout, "[0] x\n")
        self.assertEqual(run("--output", "tag,merge", *words).stdout, "[0] x\n")
        self.assertEqual(run("-prepend-pattern", "<%r> ", *words).stdout, "<0> x\n")
        for option in (["--timestamp-output"], ["--output", "timestamp"]):
            self.assertRegex(run(*option, *words).stdout, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d x\n$")
        self.assertRegex(run("--timestamp-output", "-l", *words).stdout, r"^\S+ \[0\] x\n$")

    def test_standard_error_follows_standard_output(self):
        for words in ([], ["-l"]):
            done = run("--merge-stderr-to-stdout", *words, "-n", 1, RANK, "out", "a\n", "err", "b\n")
            self.assertEqual((done.stdout.replace("[0] ", ""), done.stderr), ("a\nb\n", ""))

    def test_files_for_each_rank(self):
        for option, copied in ((self.folder, True), (self.folder + ":nocopy", False)):
            done = run("--output-filename", option, "-n", 2, RANK, "out", "a\n", "err", "b\n")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, *(("a\na\n", "b\nb\n") if copied else ("", ""))))
            for rank in ("0", "1"):
                self.assertEqual(self.read("1", f"rank.{rank}", "stdout"), "a\n")
                self.assertEqual(self.read("1", f"rank.{rank}", "stderr"), "b\n")
        done = run("--output-filename", "/dev/null/x", "-n", 1, RANK, "line", "x")
        self.assertEqual(done.returncode, 127)
        self.assertIn("cannot make the folder /dev/null/x", done.stderr)

    def test_patterns_of_files(self):
        done = run("-outfile-pattern", f"{self.folder}/out.%r", "-errfile-pattern", f"{self.folder}/err", "-n", 2,
                   RANK, "out", "a\n", "err", "b\n")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual((self.read("out.0"), self.read("out.1"), self.read("err")), ("a\n", "a\n", "b\nb\n"))
        run("--output", f"file={self.folder}/all", "-n", 1, RANK, "out", "a\n", "err", "b\n")
        self.assertEqual(sorted(self.read("all.0").split()), ["a", "b"])
        self.refused("leave out -l", "-l", "-outfile-pattern", "x", "-n", 1)

    def test_all_exit_codes_are_told(self):
        done = run("-print-all-exitcodes", "-n", 2, RANK, "init", "", "finalize", "", "only=1", "exit", "3")
        self.assertEqual(done.returncode, 3)
        self.assertIn("mpiexec: exit codes by rank: 0,3\n", done.stderr)


class Foreign(Options):
    def test_what_has_no_effect_is_warned_of_once(self):
        done = self.starts(1, "--mca", "btl", "self,vader", "--prtemca", "a", "b", "-launcher", "ssh", "-iface", "eth0",
                           "-v", "--prefix", "/opt/openmpi", "-genv", "A", "b", "-n", 1,
                           warned="warning: without effect here, and ignored: --mca btl self,vader, --prtemca a b, "
                           "-launcher ssh, -iface eth0, -v, --prefix /opt/openmpi\n")
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_what_is_called_otherwise_here_is_named(self):
        for option, told in (("--ntasks", "use -n N"), ("-rankfile", "--cores LIST"), ("--bind-to-core", "--bind-to core"),
                             ("--label", "-l puts the rank"), ("--cpus-per-task=4", "--map-by core:pe=N"), ("-gtool", "before the program")):
            self.refused(told, option)

    def test_the_nearest_name_is_told(self):
        for option, told in (("--bindto", "did you mean --bind-to?"), ("--map-byy", "did you mean --map-by?"),
                             ("--tiemout=3", "did you mean --timeout?"), ("-genvnoen", "did you mean -genvnone?")):
            self.refused(told, option)
        self.refused("takes no value", "--check=yes", "-n", 1)
        self.refused("mpiexec --help lists", "--completely-unknown")


class Table(unittest.TestCase):
    """Parsing, help, man page and completion are made of one table."""

    def help(self, form):
        done = run(f"--help={form}")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def names(self):
        rows = [line for line in self.help("markdown").splitlines() if line.startswith("| `")]
        return [(re.findall(r"`(-[^`]+)`", row.split(" | ")[0]), row) for row in rows]

    def test_a_spelling_is_one_option(self):
        seen = set()
        for names, row in self.names():
            for name in names:
                bare = name.lstrip("-")
                self.assertFalse(bare in seen, f"{name} stands in two rows")
                seen.add(bare)

    def test_every_option_stands_in_help_and_man_page(self):
        elsewhere = self.help("markdown").split("**An error that names")[1].splitlines()
        text, man = self.help("text"), self.help("man").replace("\\-", "-")
        for names, row in self.names():
            for name in names if row not in elsewhere else []:
                self.assertTrue(re.search(rf"[ ,\n]{re.escape(name)}[ ,.\n\[]", man), name)
        self.assertTrue(all(len(line) <= 112 for line in text.splitlines()))
        self.assertIn("--map-by LEVEL", text)

    def test_the_man_page_is_formatted_without_a_warning(self):
        if not shutil.which("groff"):
            self.skipTest("groff is not installed")
        done = subprocess.run(["groff", "-man", "-Tascii", "-ww", "-z"], input=self.help("man"), capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_page_on_launching_has_the_table(self):
        with open(os.path.join(ROOT, "docs", "launching.md")) as file:
            page = file.read()
        self.assertTrue(self.help("markdown") in page, "put the output of `mpiexec --help=markdown` into docs/launching.md")

    def complete(self, *words):
        script = self.help("bash") + 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _baton_mpiexec; printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "-c", script, "bash", *words], capture_output=True, text=True, timeout=WATCHDOG_SECONDS)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def test_bash_completes_options_values_and_the_program(self):
        self.assertIn("--map-by", self.complete("mpiexec", "--ma"))
        self.assertEqual(self.complete("mpiexec", "-n", "4", "--bind-to", "co"), ["core"])
        self.assertIn("true", self.complete("mpiexec", "-n", "4", "tru"))
        self.assertNotIn("--map-by", self.complete("mpiexec", "-n", "4", "true", "--ma"))
        self.assertIn("--map-by", self.complete("mpiexec", "-n", "4", "true", ":", "--ma"))
        self.assertEqual(self.complete("mpiexec", "-genv", "A", ""), self.complete("mpiexec", "-n", ""))

    def test_zsh_and_fish_read_their_completion(self):
        self.assertTrue(self.help("zsh").startswith("#compdef mpiexec mpirun\n"))
        for shell in ("zsh", "fish"):
            text = self.help(shell)
            self.assertIn("map-by", text)
            if shutil.which(shell):
                done = subprocess.run([shell, "-n"], input=text, capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    unittest.main()
