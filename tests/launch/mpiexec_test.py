#!/usr/bin/env python3
"""What mpiexec promises, tried on ranks that need no MPI. Usage: mpiexec_test.py BIN_FOLDER PROGRAM_FOLDER [unittest's]"""
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

BIN, PROGRAMS = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
MPIEXEC = os.path.join(BIN, "mpiexec")
RANK = os.path.join(PROGRAMS, "fake_rank")
WATCHDOG_SECONDS = 300
# A job in which nothing has moved for so long is over; time alone, which other work may take, is a far bound.
STILL = ["--hang-after", "60:end"]
GONE_SECONDS = 50.0  # a bound for a busy machine; a quiet one needs well under one


class Job:
    """An mpiexec in a session of its own, killed with all that belongs to it should it outlive us."""

    def __init__(self, *words, stdin=subprocess.DEVNULL, env=None, cwd=None, before=None):
        """`before` is called in the new process first."""
        still = [] if "--hang-after" in words else STILL
        self.process = subprocess.Popen([MPIEXEC, *still, *map(str, words)], stdin=stdin, env=env, cwd=cwd, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                                        preexec_fn=before)

    def end(self, text=None):
        try:
            self.out, self.err = self.process.communicate(text, timeout=WATCHDOG_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            out, err = self.process.communicate()
            raise AssertionError(f"watchdog: {self.process.args} still ran after {WATCHDOG_SECONDS} s\n{out}\n{err}")
        self.code = self.process.returncode
        return self


def run(*words, text=None, **more):
    return Job(*words, stdin=subprocess.PIPE if text is not None else subprocess.DEVNULL, **more).end(text)


def behind_mount(mount):
    """The words before a command that has something mounted (mount's last words) in a mount namespace of its own. Where
    there can be none, as for a user or in a chroot, the test is skipped."""
    words = ["unshare", "--mount", "sh", "-c", f'mount -t tmpfs {mount} && exec "$@"', "sh"]
    done = subprocess.run([*words, "true"], capture_output=True, text=True)
    if done.returncode != 0:
        raise unittest.SkipTest(f"nothing can be mounted for a process alone: {done.stderr.strip()}")
    return words


def processes_with(token):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read()
            with open(f"/proc/{pid}/stat") as file:
                dead = file.read().rsplit(")", 1)[1].split()[0] in "ZX"
        except OSError:
            continue
        if token.encode() in words and not dead and int(pid) != os.getpid():
            found.append(int(pid))
    return found


def state_of(pid):
    """The kernel's letter, or "gone"."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "gone"


def children(parent, named=None):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat") as file:
                name, rest = file.read().split(" ", 1)[1].rsplit(")", 1)
        except OSError:
            continue
        fields = rest.split()
        if int(fields[1]) == parent and fields[0] not in "ZX" and named in (None, name[1:]):
            found.append(int(pid))
    return found


def managers(mpiexec):
    """At most one. Other children are loaders of programs that mpiexec asks before it starts them."""
    return children(mpiexec, "baton-keeper")


def wait_until(condition, what, seconds=GONE_SECONDS):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(what)
        time.sleep(0.005)


class Starting(unittest.TestCase):
    def test_ranks_see_their_number_and_the_size(self):
        job = run("-n", 3, RANK, "place", "")
        self.assertEqual(job.code, 0, job.err)
        self.assertEqual(sorted(line.split(" cpu")[0] for line in job.out.splitlines()),
                         ["rank 0 of 3", "rank 1 of 3", "rank 2 of 3"])

    def test_colon_starts_several_programs_as_one_job(self):
        job = run("-n", 1, RANK, "place", "", ":", "-np", 2, RANK, "line", "second", "place", "")
        self.assertEqual(job.code, 0, job.err)
        self.assertEqual(job.out.count("second"), 2)
        self.assertEqual(len(re.findall(r"rank \d of 3", job.out)), 3)

    def test_without_n_there_is_a_rank_for_each_usable_core(self):
        cores = len(os.sched_getaffinity(0))
        job = run(RANK, "line", "here")
        self.assertEqual(job.code, 0, job.err)
        self.assertTrue(1 <= job.out.count("here") <= cores, job.out)

    def test_a_rank_is_bound_when_each_can_have_a_core(self):
        job = run("-n", 1, RANK, "place", "")
        allowed = int(job.out.split()[-1])
        self.assertLessEqual(allowed, max(1, len(os.sched_getaffinity(0)) // 2), job.out)

    def test_oversubscribed_ranks_are_not_bound(self):
        cpus = len(os.sched_getaffinity(0))
        job = run("-n", 2 * cpus + 1, RANK, "place", "")
        self.assertEqual(job.code, 0, job.err)
        self.assertEqual({line.split()[-1] for line in job.out.splitlines()}, {str(cpus)})

    def test_bind_to_none_leaves_the_rank_free(self):
        job = run("-n", 1, "--bind-to", "none", RANK, "place", "")
        self.assertEqual(job.out.split()[-1], str(len(os.sched_getaffinity(0))))

    def test_threads_get_as_many_cpus(self):
        cpus = len(os.sched_getaffinity(0))
        job = run("-n", 1, RANK, "place", "", env={**os.environ, "OMP_NUM_THREADS": str(cpus)})
        self.assertEqual(job.out.split()[-1], str(cpus))

    def test_a_missing_program_is_named_and_nothing_runs(self):
        job = run("-n", 2, "./no-such-program")
        self.assertEqual(job.code, 127)
        self.assertIn("no-such-program", job.err)

    def test_a_program_in_this_folder_gets_the_hint(self):
        job = run("-n", 1, "fake_rank", cwd=PROGRAMS, env={**os.environ, "PATH": "/usr/bin:/bin"})
        self.assertEqual(job.code, 127)
        self.assertIn("./fake_rank", job.err)

    def test_a_wrong_option_is_named(self):
        for words in (["--no-such-option", "true"], ["-n", "0", "true"], ["-n", "x", "true"], ["-n"], ["-n", "2"],
                      ["--bind-to", "moon", "true"], ["true", ":", "true"], ["--map-by", "core:pe=0", "true"]):
            job = run(*words)
            self.assertEqual(job.code, 2, (words, job.err))
            self.assertTrue(job.err.startswith("mpiexec: "), job.err)

    def test_dry_run_starts_nothing_and_draws(self):
        with tempfile.TemporaryDirectory() as folder:
            job = run("-n", 2, "--dry-run", "--report-binding", "touch", f"{folder}/made")
            self.assertEqual(job.code, 0, job.err)
            self.assertEqual(os.listdir(folder), [])
            self.assertIn("2 ranks", job.out)

    def test_sixty_four_ranks_start(self):
        job = run("-n", 64, RANK, "line", "up")
        self.assertEqual((job.code, job.out.count("up\n")), (0, 64), job.err)

    def test_no_socket_is_opened(self):
        if subprocess.run(["which", "strace"], capture_output=True).returncode != 0:
            self.skipTest("strace is not installed")
        # A leak checker cannot work below strace.
        env = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
        with tempfile.NamedTemporaryFile("r") as log:
            traced = subprocess.run(["strace", "-f", "-e", "trace=network", "-o", log.name, MPIEXEC, "-n", "2", RANK,
                                     "init", "", "finalize", ""], timeout=WATCHDOG_SECONDS, capture_output=True,
                                    env=env)
            calls = [line for line in log if re.match(r"\d+ +\w+\(", line)]
        self.assertEqual((traced.returncode, calls), (0, []))


class Cores(unittest.TestCase):
    CPUS = sorted(os.sched_getaffinity(0))
    SHOW = ["sh", "-c", 'echo "$BATON_RANK $OMP_NUM_THREADS $OMP_PROC_BIND $OMP_PLACES"']

    def test_a_list_of_cpus_is_taken_in_its_order(self):
        job = run("--cores", ",".join(map(str, reversed(self.CPUS))), "-n", len(self.CPUS), "--dry-run")
        self.assertEqual(job.code, 0, job.err)
        for rank, cpu in enumerate(reversed(self.CPUS)):
            self.assertIn(f"rank {rank}: CPU {cpu}\n", job.out)

    def test_ranks_stay_on_chosen_cpus_also_when_they_are_too_many(self):
        job = run("--cores", self.CPUS[-1], "-n", 3, RANK, "place", "")
        self.assertEqual(job.code, 0, job.err)
        self.assertEqual({line.split()[-1] for line in job.out.splitlines()}, {"1"}, job.out)

    def test_cores_without_n_start_a_rank_on_each(self):
        job = run("--cores", self.CPUS[0], RANK, "line", "here")
        self.assertEqual(job.out.count("here"), 1, job.out)

    def test_unknown_cores_are_named_with_what_there_is(self):
        for words, told in ((["--cores", "sokcet:0"], "did you mean socket?"), (["--cores", "package:99"], "there are 0"),
                            (["--cores", "spread:99"], "NUMA node"), (["--cores"], "needs which CPUs")):
            job = run(*words, *(["-n", 1, RANK, "line", "x"] if len(words) > 1 else []))
            self.assertEqual(job.code, 2, job.err)
            self.assertIn(told, job.err)
            self.assertEqual(job.out, "")

    def test_a_layout_tells_openmp_of_the_ranks_cpus(self):
        job = run("--layout", f"1x{len(self.CPUS)}", *self.SHOW)
        self.assertEqual(job.code, 0, job.err)
        rank, threads, bound, places = job.out.split()
        self.assertEqual((rank, threads, bound), ("0", str(len(self.CPUS)), "close"))
        self.assertEqual(sorted(int(cpu) for cpu in re.findall(r"\d+", places)), self.CPUS)

    def test_a_master_has_one_thread(self):
        job = run("--layout", "1+2x3", "-l", *self.SHOW)
        self.assertEqual(job.code, 0, job.err)
        self.assertEqual({tuple(line.split()[1:3]) for line in job.out.splitlines()}, {("0", "1"), ("1", "3"), ("2", "3")})

    def test_a_layout_that_does_not_fit_is_warned_of_and_not_bound(self):
        job = run("--layout", f"2x{2 * len(self.CPUS)}", *self.SHOW)
        self.assertEqual(job.code, 0, job.err)
        self.assertIn(f"warning: 2 ranks with {4 * len(self.CPUS)} threads in all share", job.err)
        self.assertIn(" false", job.out)
        self.assertNotIn("{", job.out)

    def test_what_the_user_says_by_env_wins_over_the_layout(self):
        job = run("--layout", "1x1", "-env", "OMP_NUM_THREADS", "7", *self.SHOW)
        self.assertEqual(job.out.split()[1], "7")
        self.assertIn("warning: 7 threads of a rank (OMP_NUM_THREADS) share 1 CPU", job.err)
        self.assertEqual(run("--layout", "1x1", *self.SHOW, env={**os.environ, "OMP_NUM_THREADS": "7"}).out.split()[1], "1")

    def test_bad_layouts_are_refused(self):
        for words in (["--layout", "2y1"], ["--layout", "0x1"], ["--layout", "2x"], ["--layout", "2+1x1"], ["--layout", "-1x1"],
                      ["--layout", "1x1", "-n", "2"], ["--layout", "1x1", "--map-by", "core:pe=2"]):
            job = run(*words, RANK, "line", "x")
            self.assertEqual(job.code, 2, words)
            self.assertIn("--layout", job.err)

    def test_a_configuration_is_cores_and_memory_at_once(self):
        for name in ("local", "interleave", "spread", "spread-interleave", "remote"):
            job = run("--config", name, RANK, "place", "")
            self.assertEqual(job.code, 0, job.err)
            self.assertIn("rank 0 of ", job.out)
            self.assertIn("all=", run("--config", name, "--dry-run").out)

    def test_a_configuration_is_known_and_alone(self):
        for words, told in ((["--config", "locl"], "there are local"), (["--config", "local", "--cores", "0"], "leave out --cores"),
                            (["--memory", "all=near", "--config", "local"], "leave out --memory")):
            job = run(*words, RANK, "line", "x")
            self.assertEqual((job.code, job.out), (2, ""), words)
            self.assertIn(told, job.err)

    def test_the_picture_is_written_and_a_bad_name_told(self):
        with tempfile.TemporaryDirectory() as folder:
            picture = os.path.join(folder, "map.svg")
            self.assertEqual(run("-n", 1, f"--report-binding={picture}", "--dry-run").code, 0)
            with open(picture) as file:
                self.assertIn('class="rank">0</text>', file.read())
        job = run("-n", 1, f"--report-binding={picture}", RANK, "line", "x")
        self.assertEqual((job.code, job.out), (1, ""))
        self.assertIn("No such file", job.err)
        self.assertEqual(run("-n", 1, "--report-binding=map.png", RANK, "line", "x").code, 2)


class Surroundings(unittest.TestCase):
    def test_genv_reaches_all_and_env_its_own_program(self):
        job = run("-genv", "ALL", "a", "-n", 1, "-env", "ONE", "b", RANK, "variable", "ALL", "variable", "ONE", ":",
                  "-n", 1, RANK, "variable", "ALL", "variable", "ONE")
        self.assertEqual(sorted(job.out.split()), ["a", "a", "b", "unset"], job.err)

    def test_x_exports_a_value(self):
        self.assertEqual(run("-x", "THIS=that", "-n", 1, RANK, "variable", "THIS").out, "that\n")

    def test_other_launchers_variables_do_not_reach_the_ranks(self):
        env = {**os.environ, "PMI_RANK": "3", "PMIX_RANK": "3", "PMI_FD": "9"}
        job = run("-n", 1, RANK, "variable", "PMI_RANK", "variable", "PMIX_RANK", "variable", "PMI_FD", env=env)
        self.assertEqual(job.out.split(), ["unset"] * 3)

    def test_an_initial_error_handler_is_each_programs_own_and_spelled_right(self):
        show = ["sh", "-c", "echo ${BATON_INITIAL_ERRHANDLER-none}"]
        job = run("-n", 1, "-initial-errhandler", "MPI_ERRORS_RETURN", *show, ":", "-n", 1, *show)
        self.assertEqual(sorted(job.out.split()), ["mpi_errors_return", "none"])
        job = run("-n", 1, "-initial-errhandler", "mpi_errors_ignored", "true")
        self.assertNotEqual(job.code, 0)
        self.assertIn("-initial-errhandler mpi_errors_ignored: it takes mpi_errors_are_fatal", job.err)

    def test_wdir_is_each_programs_own(self):
        with tempfile.TemporaryDirectory() as folder:
            job = run("-n", 1, "-wdir", folder, "pwd", ":", "-n", 1, "pwd")
            self.assertEqual(sorted(job.out.split()), sorted([os.path.realpath(folder), os.getcwd()]))

    def test_a_missing_wdir_is_named(self):
        job = run("-n", 1, "-wdir", "/no/such/folder", "true")
        self.assertEqual(job.code, 127)
        self.assertIn("/no/such/folder", job.err)

    def test_standard_input_goes_to_rank_0_only(self):
        job = run("-l", "-n", 3, "cat", text="one\ntwo\n")
        self.assertEqual((job.code, job.out), (0, "[0] one\n[0] two\n"))

    def test_output_is_prefixed_by_whole_lines(self):
        job = run("-l", "-n", 4, RANK, "out", "sta", "sleep", "0.02", "out", "rt\nno newline", "err", "oops\n")
        self.assertEqual(job.code, 0)
        self.assertEqual(sorted(job.out.splitlines()), sorted(f"[{r}] {t}" for r in range(4)
                                                              for t in ("start", "no newline")))
        self.assertEqual(sorted(job.err.splitlines()), [f"[{r}] oops" for r in range(4)])

    def test_much_prefixed_output_arrives_complete(self):
        job = run("-l", "-n", 3, "seq", "50000")
        self.assertEqual(len(job.out.splitlines()), 150000)
        self.assertTrue(all(re.fullmatch(r"\[[012]\] \d+", line) for line in job.out.splitlines()))

    def test_without_prefix_output_is_untouched(self):
        self.assertEqual(run("-n", 1, RANK, "out", "no newline").out, "no newline")


class Ending(unittest.TestCase):
    def test_the_first_failing_ranks_code_is_mpiexecs(self):
        job = run("-n", 3, RANK, "only=1", "exit", "7", "sleep", "20")
        self.assertEqual(job.code, 7)
        self.assertRegex(job.err, r"mpiexec: rank 1.*: ended with exit code 7")

    def test_a_signal_is_named_and_gives_128_plus_n(self):
        job = run("-n", 2, RANK, "only=1", "signal", int(signal.SIGSEGV), "sleep", "20")
        self.assertEqual(job.code, 128 + signal.SIGSEGV)
        self.assertRegex(job.err, r"mpiexec: rank 1.*: segmentation fault \(signal 11\)")

    def test_a_bound_ranks_core_is_named(self):
        job = run("-n", 1, RANK, "signal", int(signal.SIGFPE))
        self.assertRegex(job.err, r"rank 0 on core \d+: floating point exception \(signal 8\)")

    def test_ending_without_finalize_is_an_error(self):
        job = run("-n", 2, RANK, "init", "", "only=1", "exit", "0", "sleep", "20")
        self.assertEqual(job.code, 1)
        self.assertIn("ended without calling MPI_Finalize, or MPI_Session_finalize for a session", job.err)

    def test_init_and_finalize_is_a_good_end(self):
        job = run("-n", 3, RANK, "init", "", "finalize", "")
        self.assertEqual((job.code, job.err), (0, ""))

    def test_an_exit_code_after_finalize_lets_the_others_finish(self):
        job = run("-n", 2, RANK, "init", "", "finalize", "", "only=0", "exit", "3", "sleep", "0.3", "line", "finished")
        self.assertEqual((job.code, job.out), (3, "finished\n"))

    def test_a_rank_that_never_called_init_does_not_leave_others_waiting(self):
        job = run("-n", 2, RANK, "only=0", "exit", "0", "init", "", "sleep", "20")
        self.assertEqual(job.code, 1)
        self.assertIn("MPI_Init", job.err)

    def test_abort_gives_its_code(self):
        job = run("-n", 3, RANK, "init", "", "only=2", "abort", "42", "sleep", "20")
        self.assertEqual(job.code, 42)
        self.assertIn("rank 2", job.err)
        self.assertIn("MPI_Abort with code 42", job.err)

    def test_abort_with_zero_is_still_a_failure(self):
        self.assertEqual(run("-n", 1, RANK, "init", "", "abort", "0").code, 1)

    def test_a_shell_between_passes_its_programs_death_on(self):
        job = run("-n", 1, "sh", "-c", "kill -SEGV $$ & wait $!; sh -c 'kill -SEGV $$'; exit $?")
        self.assertEqual(job.code, 139)
        self.assertIn("segmentation fault", job.err)

    def test_timeout_ends_the_job(self):
        job = run("--timeout", "0.3", "-n", 2, RANK, "sleep", "20")
        self.assertEqual(job.code, 124)
        self.assertIn("--timeout", job.err)

    def test_interrupt_and_termination_end_the_job(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            token = uuid.uuid4().hex
            job = Job("-n", 3, RANK, "sleep", "20", token)
            wait_until(lambda: len(processes_with(token)) == 5, "the ranks did not start")
            job.process.send_signal(number)
            self.assertEqual(job.end().code, 128 + number)
            self.assertEqual(processes_with(token), [])

    def test_a_terminals_interrupt_is_reported_once_as_such(self):
        token = uuid.uuid4().hex
        job = Job("-n", 3, RANK, "sleep", "20", token)
        wait_until(lambda: len(processes_with(token)) == 5, "the ranks did not start")
        os.killpg(job.process.pid, signal.SIGINT)
        self.assertEqual(job.end().code, 128 + signal.SIGINT)
        self.assertEqual(job.err.count("mpiexec:"), 1, job.err)
        self.assertIn("interrupted", job.err)

    def test_a_rank_that_ignores_the_end_is_killed(self):
        token = uuid.uuid4().hex
        job = run("-n", 2, RANK, "ignore", int(signal.SIGTERM), "only=1", "exit", "5", "sleep", "1000", token)
        self.assertEqual(job.code, 5)
        self.assertEqual(processes_with(token), [])

    def test_what_ranks_left_in_other_sessions_ends_with_the_job(self):
        token = uuid.uuid4().hex
        job = run("-n", 2, RANK, "daemon", token, "sleep", "0.2")
        self.assertEqual(job.code, 0, job.err)
        self.assertEqual(processes_with(token), [])

    def test_a_reader_that_went_away_ends_the_job(self):
        job = subprocess.run(f"'{MPIEXEC}' -l -n 2 yes | head -1", shell=True, capture_output=True, text=True,
                             timeout=WATCHDOG_SECONDS)
        self.assertRegex(job.stdout, r"\[[01]\] y\n")


class Kills(unittest.TestCase):
    """Random moments; the seed is printed, and LAUNCH_TEST_SEED repeats it."""

    def setUp(self):
        seed = int(os.environ.get("LAUNCH_TEST_SEED", time.time_ns() % 10**9))
        print(f"seed {seed}", file=sys.stderr)
        self.random = random.Random(seed)

    def start(self):
        token = uuid.uuid4().hex
        job = Job("-n", 3, RANK, "init", "", "daemon", token, "sleep", "1000", token, ":", "-n", 1, "sh", "-c",
                  f"{RANK} sleep 1000 {token}; true")
        time.sleep(self.random.uniform(0, 0.06))
        return job, token

    def test_a_killed_mpiexec_leaves_nothing_at_20_random_moments(self):
        for _ in range(20):
            job, token = self.start()
            job.process.kill()
            job.process.wait()
            wait_until(lambda: not processes_with(token), f"left: {processes_with(token)}")
            job.end()

    def test_a_killed_manager_leaves_nothing_at_20_random_moments(self):
        for _ in range(20):
            job, token = self.start()
            wait_until(lambda: managers(job.process.pid), "mpiexec has no manager")
            os.kill(managers(job.process.pid)[0], signal.SIGKILL)
            job.end()
            self.assertIn("mpiexec: ", job.err)
            self.assertEqual(job.code, 128 + signal.SIGKILL)
            self.assertEqual(processes_with(token), [])

    def test_a_killed_rank_ends_the_job_at_20_random_moments(self):
        for _ in range(20):
            token = uuid.uuid4().hex
            job = Job("-n", 4, RANK, "init", "", "sleep", "1000", token)
            ranks = []

            def ranks_run():
                found = managers(job.process.pid)
                ranks[:] = children(found[0]) if found else []
                return ranks
            wait_until(ranks_run, "no rank started")
            time.sleep(self.random.uniform(0, 0.03))
            os.kill(self.random.choice(ranks), signal.SIGKILL)
            job.end()
            self.assertEqual(job.code, 128 + signal.SIGKILL)
            self.assertRegex(job.err, r"^mpiexec: rank \d.*: killed \(signal 9\)\n$")
            self.assertEqual(processes_with(token), [])


class Lifeline(unittest.TestCase):
    def test_both_killed_at_once_still_closes_the_lifeline(self):
        token = uuid.uuid4().hex
        job = Job("-n", 1, "sh", "-c", f"{RANK} lifeline '' sleep 1000 {token}; true")
        wait_until(lambda: len(processes_with(token)) >= 4, "the rank did not start")
        manager = managers(job.process.pid)[0]
        os.kill(job.process.pid, signal.SIGSTOP)
        os.kill(manager, signal.SIGKILL)
        os.kill(job.process.pid, signal.SIGKILL)
        wait_until(lambda: not processes_with(token), f"left: {processes_with(token)}")
        job.end()


if __name__ == "__main__":
    unittest.main(verbosity=1)
