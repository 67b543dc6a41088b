#!/usr/bin/env python3
"""The example has the published energies however it is built and shared out, and refuses what it cannot compute.
Usage: hartree_fock_test.py MPIEXEC MPICC HARTREE_FOCK HARTREE_FOCK_SERIAL [CLASS...]"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

from pictures import picture_rows

MPIEXEC, MPICC, PROGRAM, SERIAL = (os.path.abspath(sys.argv.pop(1)) for _ in range(4))
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "hartree_fock")
WATCHDOG_SECONDS = "600"
WAYS = [(0, 1), (1, 1), (2, 1), (3, 1), (5, 1), (1, 2), (3, 2)]  # ranks (0: built without MPI) and threads

# The same molecules by PySCF 2.14 with the ten digits of the Basis Set Exchange, in hartree; every element.
BY_ANOTHER_PROGRAM = [
    ("N 0 0 0.1;H 0 0.94 -0.27;H 0.81 -0.47 -0.27;H -0.81 -0.47 -0.27", -55.453389994),
    ("C 1.1658 -0.4051 0;C 0 0.5588 0;O -1.1907 -0.2148 0;H -1.9424 0.3837 0;H 2.1163 0.1289 0;"
     "H 1.1266 -1.0423 0.8859;H 1.1266 -1.0423 -0.8859;H 0.0444 1.1989 0.8873;H 0.0444 1.1989 -0.8873",
     -152.129840802),
    ("H 0 0 0;F 0.5 0.6 0.5", -98.571766534),
    ("Li 0 0 0;H 0 0 1.6", -7.861864784),
    ("Be 0 0 0;H 0 0 1.33;H 0 0 -1.33", -15.560098355),
    ("B 0 0 0;H 1.19 0 0;H -0.595 1.03 0;H -0.595 -1.03 0", -26.069032081),
    ("Ne 0 0 0", -126.604525089),
    ("He 0 0 0;He 0 0 3", -5.615561916),
]


def run(ranks, threads, *words, program=PROGRAM):
    command = [MPIEXEC, "--timeout", WATCHDOG_SECONDS, "-n", str(ranks), program] if ranks else [SERIAL]
    return subprocess.run([*command, *words], capture_output=True, text=True, timeout=2 * int(WATCHDOG_SECONDS),
                          env={**os.environ, "OMP_NUM_THREADS": str(threads)})


def published():
    """Energies by the name of the molecule."""
    with open(os.path.join(SOURCE, "published.txt"), encoding="utf-8") as file:
        lines = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return {name: float(energy) for name, energy in lines}


def write_xyz(path, atoms):
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{len(atoms)}\n\n" + "\n".join(atoms) + "\n")


class Run(unittest.TestCase):
    def energy(self, ranks, threads, *words, program=PROGRAM):
        done = run(ranks, threads, *words, program=program)
        self.assertEqual(done.returncode, 0, (ranks, threads, words, done.stdout, done.stderr))
        self.assertRegex(done.stdout, r"time: \d+\.\d+ s\n$")
        return float(re.search(r"energy: (-\d+\.\d{9}) hartree\n", done.stdout).group(1))

    def assert_same(self, energies):
        self.assertLessEqual(max(energies.values()) - min(energies.values()), 1.5e-9, energies)


class Energies(Run):
    def test_energies_are_the_published_ones_on_any_ranks_and_threads(self):
        for molecule, expected in published().items():
            energies = {way: self.energy(*way, "--molecule", molecule) for way in WAYS}
            for way, energy in energies.items():
                self.assertAlmostEqual(energy, expected, delta=1e-6, msg=(molecule, way))
            self.assert_same(energies)

    def test_a_cluster_has_the_same_energy_on_any_ranks_and_threads(self):
        energies = {way: self.energy(*way, "--waters", "4") for way in WAYS}
        self.assert_same(energies)
        self.assertAlmostEqual(energies[0, 1], -299.8629149487, delta=1e-8)  # by PySCF, which screens nothing out

    def test_other_elements_have_the_energies_of_another_program(self):
        with tempfile.TemporaryDirectory() as folder:
            for atoms, expected in BY_ANOTHER_PROGRAM:
                path = os.path.join(folder, "molecule.xyz")
                write_xyz(path, atoms.split(";"))
                self.assertAlmostEqual(self.energy(0, 1, "--molecule", path), expected, delta=1e-8, msg=atoms)

    def test_the_picture_shows_the_molecule(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "density.png")
            self.energy(2, 1, "--molecule", "water", "--picture", path)
            width, height, raw = picture_rows(path)
            row = 3 * width + 1
            self.assertEqual(len(raw), height * row)
            self.assertGreater(len(set(raw)), 50, "the picture is flat")
            brightness = [sum(raw[at:at + 3]) for y in range(height) for at in range(y * row + 1, (y + 1) * row, 3)]
            self.assertGreater(max(brightness), 700, "no atom")
            self.assertLess(brightness[0], 100, "a corner is not dark")


class Refusals(unittest.TestCase):
    def test_what_cannot_be_computed_is_refused_in_one_line_by_all_ranks(self):
        with tempfile.TemporaryDirectory() as folder:
            def file(name, text):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
                    out.write(text)
                return ["--molecule", os.path.join(folder, name)]
            refused = [
                (["--molecule", "fire"], "no molecule 'fire'"),
                (["--molecule", os.path.join(folder, "missing.xyz")], "cannot be opened"),
                (file("empty.xyz", ""), "does not begin with a number of atoms"),
                (file("short.xyz", "3\nwater\nO 0 0 0\nH 0 0 1\n"), "ends before its atom 3"),
                (file("flat.xyz", "1\n\nO 0 0\n"), "atom 1 is not an element and three coordinates"),
                (file("nowhere.xyz", "1\n\nO 0 0 nan\n"), "atom 1 is not an element and three coordinates"),
                (file("iron.xyz", "1\n\nFe 0 0 0\n"), "no STO-3G basis here for element 'Fe'"),
                (file("odd.xyz", "2\n\nO 0 0 0\nH 0 0 1\n"), "9 electrons"),
                (file("twice.xyz", "2\n\nO 0 0 0\nO 0 0 0\n"), "atoms 1 and 2 are in the same place"),
                (["--waters", "0"], "--waters does not take '0'"),
                (["--waters", "two"], "--waters does not take 'two'"),
                (["--waters"], "--waters does not take ''"),
                (["--waters", "1", "--molecule", "water"], "either --molecule or --waters"),
                (["--iterations", "0"], "--iterations does not take '0'"),
                (["--tolerance", "-1"], "--tolerance does not take '-1'"),
                (["--speed", "3"], "unknown word '--speed'"),
                (["--waters", "1", "--picture", "/no/such/folder/a.png"], "cannot be written"),
            ]
            for words, reason in refused:
                for ranks in (0, 1, 3):
                    done = run(ranks, 1, *words)
                    self.assertEqual((done.returncode, done.stdout), (2, ""), (ranks, words, done.stderr))
                    lines = [line for line in done.stderr.splitlines() if not line.startswith("mpiexec:")]
                    self.assertEqual(len(lines), 1, lines)
                    self.assertTrue(lines[0].startswith("hartree_fock: ") and reason in lines[0], lines)

    def test_an_energy_that_has_not_converged_is_no_success(self):
        for ranks in (0, 3):
            done = run(ranks, 1, "--molecule", "water", "--iterations", "3")
            self.assertEqual(done.returncode, 1, (done.stdout, done.stderr))
            self.assertIn("not converged to 1.0e-09 hartree within --iterations 3", done.stderr)

    def test_help_is_no_failure(self):
        for ranks in (0, 2):
            done = run(ranks, 1, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(done.stdout.count("usage: hartree_fock"), 1)


class Builds(Run):
    def test_one_source_makes_four_programs(self):
        sources = [os.path.join(SOURCE, name) for name in sorted(os.listdir(SOURCE)) if name.endswith(".c")]
        flags = ["-O1", "-Wall", "-Wextra", "-Werror", "-lm", "-o"]
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program")
            subprocess.run([MPICC, *sources, *flags, program], check=True)  # MPI alone
            self.assertAlmostEqual(self.energy(3, 1, "--molecule", "water", program=program),
                                   published()["water"], delta=1e-6)
            subprocess.run([os.environ.get("CC", "cc"), "-DWITHOUT_MPI", "-fopenmp", *sources, *flags, program],
                           check=True)
            done = subprocess.run([program, "--molecule", "water"], capture_output=True, text=True,
                                  env={**os.environ, "OMP_NUM_THREADS": "2"})
            self.assertIn("1 rank, 2 threads", done.stdout, done.stderr)
            self.assertIn("energy: -74.94207", done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=1)
