#!/usr/bin/env python3
"""A tool can take every procedure: an interposer for all of them is generated from the list of exported names, put
in front of the library by LD_PRELOAD and by link order, and must see each call and reach the library through PMPI_X.
Usage: interpose_all_test.py PROJECT_ROOT LIBRARY C_COMPILER BIN_FOLDER PROGRAM_FOLDER [unittest's]"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT, LIBRARY, COMPILER, BIN, PROGRAMS = Path(sys.argv[1]), *(os.path.abspath(word) for word in sys.argv[2:6])
del sys.argv[1:6]
WATCHDOG_SECONDS = 800

NAMES = [name for name in (ROOT / "tests/api/generated/symbols.txt").read_text().split() if name.startswith("MPI_")]

# Each stub counts and leaves for PMPI_X with the arguments untouched, whatever their types are; a tool
# that is told to answer (INTERPOSER_ANSWERS is set) returns 0 itself.
STUBS = {
    "x86_64": """
.globl {name}
.type {name}, @function
{name}:
  lock incq interposed_counts+8*{place}(%rip)
  cmpl $0, interposer_answers(%rip)
  jne interposer_answer
  jmp *P{name}@GOTPCREL(%rip)
.size {name}, .-{name}
""",
    "aarch64": """
.globl {name}
.type {name}, %function
{name}:
  adrp x16, interposed_counts+8*{place}
  add x16, x16, :lo12:interposed_counts+8*{place}
1: ldxr x17, [x16]
  add x17, x17, #1
  stxr w15, x17, [x16]
  cbnz w15, 1b
  adrp x16, interposer_answers
  ldr w17, [x16, :lo12:interposer_answers]
  cbnz w17, interposer_answer
  b P{name}
.size {name}, .-{name}
""",
}
ANSWERS = {"x86_64": "interposer_answer:\n  xorl %eax, %eax\n  ret\n", "aarch64": "interposer_answer:\n  mov x0, #0\n  ret\n"}
MACHINE = os.uname().machine

TOOL = """
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((visibility("hidden"))) unsigned long interposed_counts[{count}];
__attribute__((visibility("hidden"))) int interposer_answers;
static const char* const names[] = {{ {names} }};
__attribute__((constructor)) static void begin(void) {{ interposer_answers = getenv("INTERPOSER_ANSWERS") != NULL; }}
__attribute__((destructor)) static void report(void) {{
  char path[4096];
  const char* folder = getenv("INTERPOSER_REPORTS");
  if (!folder) return;
  snprintf(path, sizeof path, "%s/%d", folder, (int)getpid());
  FILE* file = fopen(path, "w");
  if (!file) return;
  for (int i = 0; i < {count}; ++i)
    if (interposed_counts[i]) fprintf(file, "%s %lu\\n", names[i], interposed_counts[i]);
  fclose(file);
}}
"""

# Calls every procedure once. The tool answers, so that the arguments do not matter.
CALLER = """
{declarations}
typedef int Procedure(long, long, long, long, long, long, long, long, long, long, long, long);
static Procedure* const procedures[] = {{ {names} }};
int main(void) {{
  for (int i = 0; i < {count}; ++i) procedures[i](0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  return 0;
}}
"""


def compile_(*words):
    done = subprocess.run([COMPILER, *map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{COMPILER} failed: {done.stderr[:2000]}")


@unittest.skipUnless(MACHINE in STUBS, f"no stubs are written for {MACHINE}")
class Interposing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory(prefix="baton-interpose-")
        cls.folder = Path(cls.kept.name)
        stubs = "".join(STUBS[MACHINE].format(name=name, place=place) for place, name in enumerate(NAMES))
        note = '.section .note.GNU-stack,"",%progbits\n'
        (cls.folder / "stubs.s").write_text(".text\n" + ANSWERS[MACHINE] + stubs + note)
        words = {"count": len(NAMES)}
        (cls.folder / "tool.c").write_text(TOOL.format(names=", ".join(f'"{name}"' for name in NAMES), **words))
        (cls.folder / "caller.c").write_text(CALLER.format(
            names=", ".join(f"(Procedure*){name}" for name in NAMES),
            declarations="\n".join(f"void {name}(void);" for name in NAMES), **words))
        cls.tool = cls.folder / "libtool.so"
        compile_("-shared", "-fPIC", "-o", cls.tool, cls.folder / "tool.c", cls.folder / "stubs.s")
        where = f"-Wl,-rpath,{os.path.dirname(LIBRARY)}"
        compile_("-w", "-o", cls.folder / "plain", cls.folder / "caller.c", LIBRARY, where)
        compile_("-w", "-o", cls.folder / "linked", cls.folder / "caller.c", cls.tool, LIBRARY, where,
                 f"-Wl,-rpath,{cls.folder}", "-Wl,--no-as-needed")

    @classmethod
    def tearDownClass(cls):
        cls.kept.cleanup()

    def reports(self, words, **variables):
        """Runs a program below the tool; the counts of each of its processes."""
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([str(word) for word in words], capture_output=True, text=True,
                                  timeout=WATCHDOG_SECONDS, stdin=subprocess.DEVNULL,
                                  env={**os.environ, "INTERPOSER_REPORTS": folder, **variables})
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            reports = [{name: int(count) for name, count in map(str.split, path.read_text().splitlines())}
                       for path in Path(folder).iterdir()]
            return [report for report in reports if report], done.stdout

    def test_there_are_all_procedures(self):
        self.assertGreater(len(NAMES), 600)

    def test_a_preloaded_tool_sees_every_procedure(self):
        reports, _ = self.reports([self.folder / "plain"], LD_PRELOAD=str(self.tool), INTERPOSER_ANSWERS="1")
        self.assertEqual(reports, [dict.fromkeys(NAMES, 1)])

    def test_a_tool_that_is_linked_before_the_library_sees_every_procedure(self):
        reports, _ = self.reports([self.folder / "linked"], INTERPOSER_ANSWERS="1")
        self.assertEqual(reports, [dict.fromkeys(NAMES, 1)])

    def test_programs_run_below_a_tool_as_without_it(self):
        seen = set()
        for program in ("match", "collective", "communicator", "operation", "cancel", "buffer", "session", "grequest",
                        "wrong_objects", "wrong_types", "wrong_messages", "bad_handles", "bad_objects"):
            with self.subTest(program):
                path = os.path.join(PROGRAMS, f"conformance_{program}")
                preload = f"LD_PRELOAD={self.tool}"
                reports, out = self.reports([os.path.join(BIN, "mpiexec"), "--timeout", "600", "-n", "2", "env", preload,
                                             path])
                self.assertRegex(out, "all checks held on 2 ranks")
                ranks = [report for report in reports if "MPI_Init" in report or "MPI_Session_init" in report]
                self.assertEqual(len(ranks), 2)
                for report in ranks:
                    if "MPI_Init" in report:
                        self.assertEqual((report["MPI_Finalize"], report["MPI_Barrier"] > 0), (1, True))
                    seen |= report.keys()
        self.assertGreater(len(seen), 250, "the programs call more procedures than the tool has seen")

    def test_the_library_calls_no_procedure_itself(self):
        """Each name once: what the library needs inside does not come back to a tool."""
        nm = subprocess.run(["nm", "--dynamic", "--undefined-only", LIBRARY], capture_output=True, text=True, check=True)
        self.assertEqual(re.findall(r"\bP?MPI_\w+", nm.stdout), [])
        relocations = subprocess.run(["readelf", "--relocs", "--wide", LIBRARY], capture_output=True, text=True, check=True)
        self.assertEqual(re.findall(r"\bP?MPI_\w+", relocations.stdout), [])


if __name__ == "__main__":
    unittest.main(verbosity=1)
