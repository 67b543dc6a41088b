#!/usr/bin/env python3
"""Every rule of tidy finds its sin and lets good code pass."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "devtools"))
import tidy  # noqa: E402

HEADER = "// What it is.\n#pragma once\n"


class Rules(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.real_root, tidy.ROOT = tidy.ROOT, self.folder.name
        self.addCleanup(setattr, tidy, "ROOT", self.real_root)

    def found(self, name, text, check):
        path = os.path.join(tidy.ROOT, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
        findings = tidy.Findings()
        code = tidy.without_comments_and_strings(text)
        {"layers": lambda: tidy.check_layers(name, text, findings),
         "links": lambda: tidy.check_links(name, text, code, findings),
         "network": lambda: tidy.check_network(name, text, findings),
         "launch folders": lambda: tidy.check_launch_folders(name, text, findings),
         "size": lambda: tidy.check_size(name, text, findings),
         "functions": lambda: tidy.check_functions(name, code, findings),
         "bans": lambda: tidy.check_bans(name, code, findings),
         "implicit": lambda: tidy.check_implicit_order(name, code, findings),
         "names": lambda: tidy.check_names(name, findings),
         "lab": lambda: tidy.check_lab(name, text, findings),
         "start": lambda: tidy.check_start(name, text, findings),
         "comments": lambda: tidy.check_comments(name, text, findings),
         "orders": lambda: tidy.check_orders([name], findings)}[check]()
        return findings.lines

    def test_an_include_upward_is_found_and_downward_is_fine(self):
        self.assertEqual(len(self.found("src/lockfree/a.cpp", '#include "world/b.hpp"\n', "layers")), 1)
        self.assertEqual(self.found("src/world/a.cpp", '#include "lockfree/b.hpp"\n#include "world/c.hpp"\n', "layers"), [])

    def test_folders_on_one_layer_do_not_include_each_other(self):
        self.assertEqual(len(self.found("src/window/a.cpp", '#include "file/b.hpp"\n', "layers")), 1)

    def test_rings_and_arenas_are_not_named_above_the_links(self):
        for name in ("src/message/a.cpp", "src/collective/a.hpp"):
            for code in ("int x = transport::job_arena.own;\n", "lockfree::SendRing<Hardware> out;\n", "char b[ring_bytes];\n",
                         '#include "transport/arena.hpp"\n', '#include "lockfree/ring_line.hpp"\n'):
                self.assertEqual(len(self.found(name, code, "links")), 1, code)
        self.assertEqual(self.found("src/transport/a.cpp", "int x = job_arena.own;\n", "links"), [])
        self.assertEqual(self.found("src/message/a.cpp", "// the arena's ring\nring_doorbell(bell);\n", "links"), [])

    def test_the_network_is_known_in_its_folders_alone(self):
        code = '#include "transport/network/network.hpp"\n'
        self.assertEqual(len(self.found("src/message/a.cpp", code, "network")), 1)
        for name in ("src/message/network/a.cpp", "src/transport/network/a.cpp", "src/world/network/a.cpp"):
            self.assertEqual(self.found(name, code, "network"), [])

    def test_cycles_of_includes_are_found_within_a_folder(self):
        def cycles(texts):
            for name, text in texts.items():
                os.makedirs(os.path.join(tidy.ROOT, os.path.dirname(name)), exist_ok=True)
                with open(os.path.join(tidy.ROOT, name), "w") as file:
                    file.write(text)
            findings = tidy.Findings()
            tidy.check_cycles(sorted(texts), findings)
            return findings.lines
        a, b = '#include "lockfree/a.hpp"\n', '#include "lockfree/b.hpp"\n'
        straight = {"src/lockfree/a.hpp": "int x;\n", "src/lockfree/a.cpp": a, "src/lockfree/b.hpp": a, "src/lockfree/b.cpp": b,
                    "tests/lockfree/a.hpp": "", "tests/lockfree/c.cpp": a + b}
        self.assertEqual(cycles(straight), [])
        # By way of a's source.
        found = cycles({**straight, "src/lockfree/a.cpp": a + b})
        self.assertEqual(found[0].split(": ")[:3], ["src/lockfree/b.hpp:1", "a cycle of includes", "a -> b -> a; move what both "
                                                    "need to a header of its own"])
        self.assertEqual(len(found), 1)
        self.assertEqual(len(cycles({"lab/x/a.h": '#include "b.h"\n', "lab/x/b.h": '#include "c.h"\n',
                                     "lab/x/c.h": '#include "a.h"\n'})), 1)

    def test_the_folders_of_launch_include_each_other_in_order(self):
        self.assertEqual(self.found("launch/run/a.cpp", '#include "launch/run/b.hpp"\n#include "launch/options/c.hpp"\n',
                                    "launch folders"), [])
        self.assertEqual(self.found("launch/main.cpp", '#include "launch/hosts/b.hpp"\n', "launch folders"), [])
        for code in ('#include "launch/reports/b.hpp"\n', '#include "launch/manager.hpp"\n'):
            self.assertEqual(len(self.found("launch/run/a.cpp", code, "launch folders")), 1)
        self.assertEqual(len(self.found("launch/attic/a.cpp", "int x;\n", "launch folders")), 1)

    def test_tools_stay_on_the_low_layers(self):
        self.assertEqual(len(self.found("cli/a.cpp", '#include "message/b.hpp"\n', "layers")), 1)
        self.assertEqual(self.found("launch/a.cpp", '#include "lockfree/b.hpp"\n', "layers"), [])

    def test_an_unknown_folder_is_found(self):
        self.assertEqual(len(self.found("src/attic/a.cpp", "int x;\n", "layers")), 1)

    def test_long_files_are_found(self):
        self.assertEqual(len(self.found("src/base/a.hpp", HEADER + "\n" * 250, "size")), 1)
        self.assertEqual(self.found("src/base/a.cpp", "\n" * 499, "size"), [])
        self.assertEqual(len(self.found("src/base/a.cpp", "\n" * 500, "size")), 1)

    def test_long_functions_are_found_wherever_they_stand(self):
        body = "  x();\n" * 70
        for text in (f"void f() {{\n{body}}}\n", f"namespace n {{\nclass C {{\n  int f(int a) const {{\n{body}  }}\n}};\n}}\n",
                     f"C::C(int a) : b{{a}} {{\n{body}}}\n", f"struct S f(void) {{\n{body}}}\n"):
            self.assertEqual(len(self.found("src/base/a.cpp", text, "functions")), 1, text[:40])
        short = "  x();\n" * 60
        self.assertEqual(self.found("src/base/a.cpp", f"namespace n {{\nvoid f() {{\n{short}}}\nvoid g() {{\n{short}}}\n}}\n",
                                    "functions"), [])

    def test_the_labs_python_says_what_it_is_stays_short_and_its_frame_knows_no_study(self):
        for text in ("x = 1\n", '"""A."""\ndef f(:\n', '"""A."""\nfrom lab.scatter import live\n',
                     '"""A."""\nimport lab.studies\n', '"""A."""\n' + "\n" * 500,
                     '"""A."""\ndef f():\n' + "    x()\n" * 70):
            self.assertEqual(len(self.found("lab/frame/a.py", text, "lab")), 1, text[:40])
        self.assertEqual(self.found("lab/scatter/a.py", '"""A."""\nfrom lab.scatter import live\n', "lab"), [])
        self.assertEqual(self.found("lab/frame/a.py", '"""A."""\nfrom lab.frame import page\nimport os\n', "lab"), [])

    def test_bans_are_found_but_not_in_comments_or_text(self):
        for text in ("volatile int x;\n", "a.load(std::memory_order_seq_cst);\n", 'getenv("X");\n', "throw 1;\n",
                     'std::fprintf(stderr, "x");\n', "::write(2, text, 1);\n"):
            self.assertEqual(len(self.found("src/base/a.cpp", text, "bans")), 1, text)
        self.assertEqual(self.found("src/base/a.cpp", '// volatile, getenv("X")\nauto s = "throw volatile";\n', "bans"), [])
        self.assertEqual(self.found("src/base/environment.cpp", 'getenv("X");\n', "bans"), [])

    def test_a_named_fence_may_be_sequentially_consistent(self):
        good = "void full_fence() { std::atomic_thread_fence(std::memory_order_seq_cst); }\n"
        self.assertEqual(self.found("src/base/a.cpp", good, "bans"), [])
        bad = "void f() { std::atomic_thread_fence(std::memory_order_seq_cst); }\n"
        self.assertEqual(len(self.found("src/base/a.cpp", bad, "bans")), 1)

    def test_ladders_are_banned_in_hot_folders_only(self):
        text = "#ifdef A\n#elif B\n#endif\n"
        self.assertEqual(len(self.found("src/transport/a.cpp", text, "bans")), 1)
        self.assertEqual(self.found("src/platform/a.cpp", text, "bans"), [])

    def test_an_atomic_without_an_order_is_found(self):
        self.assertEqual(len(self.found("src/base/a.cpp", "std::atomic<int> a;\nint f() { return a.load(); }\n", "implicit")), 1)
        self.assertEqual(self.found("src/base/a.cpp", "std::atomic<int> a;\nint f() { return a.load(std::memory_order_acquire); }\n",
                                    "implicit"), [])

    def test_names_that_say_nothing_are_found(self):
        self.assertEqual(len(self.found("src/base/string_util.cpp", "", "names")), 1)
        self.assertEqual(self.found("src/base/utility_bill.cpp", "", "names"), [])

    def test_a_header_opens_with_what_it_is(self):
        self.assertEqual(len(self.found("src/base/a.hpp", "#pragma once\n", "start")), 1)
        self.assertEqual(self.found("src/base/a.hpp", HEADER, "start"), [])

    def test_a_comment_begins_as_a_sentence(self):
        for words in ("What it is.", "Whether it is.", "So many ranks.", "The same again.", "Of a rank.", "Also this.",
                      "Those of a rank.", "As above."):
            for indent in ("", "  "):
                found = self.found(tidy.COMMENTS_ARE_SENTENCES[0] + "a.hpp", f"int x;\n{indent}// {words}\nint y;\n", "comments")
                self.assertEqual(len(found), 1, words)
                self.assertIn("a.hpp:2: ", found[0])
                self.assertIn("write a sentence with a subject", found[0])
        good = "// This says, for all ranks,\n// What follows.\nint x;  // Of a rank.\n// Often it is 0. Assume that.\nint y;\n"
        self.assertEqual(self.found(tidy.COMMENTS_ARE_SENTENCES[0] + "a.hpp", good, "comments"), [])
        self.assertEqual(self.found("bench/a.cpp", "// What it is.\n", "comments"), [])

    def test_an_edge_needs_both_sides_in_comment_and_code(self):
        both = ("// ORDER a.b: release here, acquire in g.\nx.store(1, std::memory_order_release);\n" + "\n" * 12 +
                "// ORDER a.b: acquire here, release in f.\nx.load(std::memory_order_acquire);\n")
        self.assertEqual(self.found("src/base/a.cpp", both, "orders"), [])
        self.assertEqual(len(self.found("src/base/a.cpp", both.split("\n\n")[0] + "\n", "orders")), 1)
        lying = both.replace("x.load(std::memory_order_acquire)", "x.load(std::memory_order_relaxed)")
        self.assertEqual(len(self.found("src/base/a.cpp", lying, "orders")), 2)

    def test_a_test_without_a_subject_is_found(self):
        findings = tidy.Findings()
        tidy.check_mirror(["tests/base/a_test.cpp", "src/base/b.cpp"], findings)
        self.assertEqual(len(findings.lines), 1)

    def test_a_source_without_a_test_and_a_line_that_is_wrong_are_found(self):
        files = ["src/world/a.cpp", "src/world/b.cpp", "src/world/agree/c.cpp", "src/base/d.cpp", "tests/world/a_test.cpp",
                 "tests/world/all_test.py", tidy.COVERED_BY]

        def found(*lines):
            os.makedirs(os.path.join(tidy.ROOT, "tests"), exist_ok=True)
            with open(os.path.join(tidy.ROOT, tidy.COVERED_BY), "w") as file:
                file.write("\n".join(("# What it is.", "", *lines)) + "\n")
            findings = tidy.Findings()
            tidy.check_unit_tests(files, findings)
            return [line.split(": ")[0] for line in findings.lines]
        b, c = "src/world/b.cpp  tests/world/all_test.py: all", "src/world/agree/c.cpp  tests/world/all_test.py: all"
        table = tidy.COVERED_BY
        self.assertEqual(found(b, c), [])
        self.assertEqual(found(c), ["src/world/b.cpp:1"])
        # A line for several sources stays as long as one of them needs it, and means one folder.
        self.assertEqual(found("src/world/*.cpp  tests/world/all_test.py: all", c), [])
        self.assertEqual(found("src/world/*.cpp  tests/world/all_test.py: all"), ["src/world/agree/c.cpp:1"])
        self.assertEqual(found(b, c, "src/world/a.cpp  tests/world/all_test.py: all"), [f"{table}:5"])
        self.assertEqual(found(b, c, "src/world/e.cpp  tests/world/all_test.py: all"), [f"{table}:5"])
        self.assertEqual(found(c, b.replace("all_test", "other_test")), [f"{table}:4"])
        self.assertEqual(found(c, b + "; tests/world/other_test.py: more"), [f"{table}:4"])
        for line in ("src/world/b.cpp  the tests: all", "src/world/b.cpp  tests/world/all_test.py", "src/world/b.cpp"):
            self.assertEqual(found(c, line), [f"{table}:4"], line)

    def variables(self, name, text):
        return [variable for _, variable in tidy.mutable_variables(name, tidy.without_comments_and_strings(text))]

    def test_mutable_variables_at_namespace_scope_are_found(self):
        for text in ("int x;\n", "namespace n {\nnamespace {\nconstinit C x;\n}\n}\n", "std::atomic<char*> x{nullptr};\n",
                     "const char* x = \"a;\";\n", "char x[sizeof(C)][2];\n", "alignas(16) char x[64 << 10];\n",
                     "__attribute__((tls_model(\"initial-exec\"))) constinit thread_local C x{};\n",
                     "int (*x)(int) = nullptr;\n", "constinit C x(C::y);\n", "struct {\n  int a;\n} x;\n",
                     "std::span<const C> x;\n", "C* x = [] { int a = 0; return make(a); }();\n", "inline C x;\n",
                     "void f(int a = 0) {\n  int b;\n}\nint x = 0;\n", "C::C() : a{1}, b(2) {\n  d();\n}\nint x;\n",
                     "C operator=(C a) {\n}\nint x;\n", "extern \"C\" {\nint x;\n}\n", "#define A {\nint x;\n"):
            self.assertEqual(self.variables("src/base/a.cpp", text), ["x"], text)
        self.assertEqual(self.variables("src/base/a.cpp", "C x, y;\n"), ["x", "y"])

    def test_constants_functions_and_members_are_no_variables(self):
        for text in ("constexpr int x = 1;\n", "const C x;\n", "C* const x = &y;\n", "constinit const C& x = y;\n", "extern C x;\n",
                     "int x(int a);\n", "[[nodiscard]] int x(void (*y)(int) = nullptr);\n", "using x = int;\n", "struct x;\n",
                     "struct A {\n  static int x;\n  int y;\n};\n", "enum class E { x, y };\n", "void f() {\n  static int x;\n}\n",
                     "template <class T>\nstruct A {\n  T x;\n};\n", "// int x;\n", "static_assert(sizeof(A) == 1);\n",
                     "typedef int x;\n", "bool operator==(A x, A y);\n"):
            self.assertEqual(self.variables("src/base/a.cpp", text), [], text)
        # A function whose type has a name, as algorithms are declared.
        self.assertEqual(self.variables("src/base/a.hpp", "ByMessages barrier;\n"), [])

    def found_by(self, check, name, text, table, lines):
        """Where a check of a file against a table with these lines finds something."""
        texts = {name: text, table: "\n".join(("# What it is.", "", *lines)) + "\n"}
        for path, content in texts.items():
            os.makedirs(os.path.join(tidy.ROOT, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(tidy.ROOT, path), "w") as file:
                file.write(content)
        findings = tidy.Findings()
        check(list(texts), findings)
        return [line.split(": ")[0] for line in findings.lines]

    def test_a_mutable_variable_needs_a_reason_and_a_reason_its_variable(self):
        def found(*lines):
            return self.found_by(tidy.check_variables, "src/base/a.cpp", "int x, y;\n", tidy.VARIABLES, lines)
        self.assertEqual(found("src/base/a.cpp  x y: all read them"), [])
        self.assertEqual(found("src/base/a.cpp  x: all read it"), ["src/base/a.cpp:1"])
        self.assertEqual(found("src/base/a.cpp  x y z: all read them"), [f"{tidy.VARIABLES}:3"])
        self.assertEqual(found("src/base/a.cpp  x y:"), [f"{tidy.VARIABLES}:3", "src/base/a.cpp:1", "src/base/a.cpp:1"])

    def test_a_copy_of_bytes_needs_a_reason_and_a_reason_its_copy(self):
        def found(text, *lines, name="src/window/a.cpp"):
            return self.found_by(tidy.check_copies, name, text, tidy.COPIES, lines)
        for copy in ("std::memcpy(to, from, n)", "::memmove(to, at(from, 1), size(n))", "platform::copy_run(to, from, sizeof(a) * n)",
                     "platform::copy_around_cache(to,\n  from, n)", "__builtin_memcpy(to, from, n)"):
            self.assertEqual(found(f"void f() {{\n  {copy};\n}}\n"), ["src/window/a.cpp:2"], copy)
            self.assertEqual(found(f"void f() {{\n  {copy};\n}}\n", name="src/datatype/a.cpp"), [])
        for copy in ("std::memcpy(&a, from, sizeof a)", "std::memcpy(to, f(a, b), sizeof(A))", "// memcpy(to, from, n)", "memcpy_of(a)"):
            self.assertEqual(found(f"void f() {{\n  {copy};\n}}\n"), [], copy)
        copies = "void f() {\n  std::memcpy(to, from, n);\n}\n"
        self.assertEqual(found(copies, "src/window/a.cpp  words of ours"), [])
        self.assertEqual(found(copies, "src/window/a.cpp"), [f"{tidy.COPIES}:3", "src/window/a.cpp:2"])
        self.assertEqual(found("int f();\n", "src/window/a.cpp  words of ours"), [f"{tidy.COPIES}:3"])

    def test_a_header_that_needs_another_first_is_found(self):
        path = os.path.join(tidy.ROOT, "src", "base")
        os.makedirs(path)
        for name, text in (("good.hpp", HEADER + "inline int f() { return 1; }\n"), ("bad.hpp", HEADER + "std::string s;\n")):
            with open(os.path.join(path, name), "w") as file:
                file.write(text)
        findings = tidy.Findings()
        tidy.check_headers(["src/base/good.hpp", "src/base/bad.hpp"], None, findings)
        self.assertEqual([line.split(":")[0] for line in findings.lines], ["src/base/bad.hpp"])


if __name__ == "__main__":
    unittest.main(verbosity=1)
