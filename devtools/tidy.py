#!/usr/bin/env python3
"""Style as a test: layers, cycles, sizes, bans, pairs of orderings, a test for each source, decisions on one screen,
headers that stand alone, fresh generated files.

Prints file:line, what is wrong and the remedy; ends with 1 when anything is.
"""
import argparse
import ast
import concurrent.futures
import fnmatch
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Includes point strictly downward; folders on one layer do not know each other.
LAYERS = {"base": 0, "platform": 1, "machine": 2, "lockfree": 3, "datatype": 4, "transport": 5, "message": 6,
          "world": 7, "collective": 8, "window": 9, "file": 9, "dynamic": 9, "topology": 9, "tool": 9, "api": 10}
TOOLS_HIGHEST_LAYER = 3          # launch/, cli/, profile/ and preload/ use layers 0 to 3 only, and what is pure
PURE = ("collective/choose.hpp", "transport/network/choose_provider.hpp")
DECISIONS = "docs/decisions/"
DECISION_PARTS = ["Decision", "Why", "Rejected", "Where measured"]
DECISION_LINES, DECISION_WORDS = 60, 500
HOT_FOLDERS = ("lockfree", "transport", "message")
HEADER_LINES, SOURCE_LINES, FUNCTION_LINES = 250, 500, 70
GENERATED = ("/generated/", "include/mpi.h", "fortran/modules/mpif.h", "fortran/modules/mpif-ext.h",
             "fortran/modules/without_interfaces/mpif.h")
CODE = (".hpp", ".cpp", ".h", ".c")


class Findings:
    def __init__(self):
        self.lines = []

    def add(self, path, line, text, remedy):
        self.lines.append(f"{path}:{line}: {text}; {remedy}")


def files():
    """Tracked and new files that are not ignored."""
    done = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True)
    names = done.stdout.splitlines() if done.returncode == 0 else [
        os.path.relpath(os.path.join(folder, name), ROOT)
        for folder, _, found in os.walk(ROOT) for name in found if "/build" not in folder and "/.git" not in folder]
    return sorted({name for name in names if os.path.isfile(os.path.join(ROOT, name))})


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8", errors="replace") as file:
        return file.read()


def is_generated(name):
    return any(part in f"/{name}" if part.startswith("/") else name == part for part in GENERATED)


def without_comments_and_strings(text):
    """The same text, line for line, with comments and literals blanked."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))
    pattern = r'R"\((?:.|\n)*?\)"|//[^\n]*|/\*(?:.|\n)*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\''
    # Digit separators (1'000) are no character literals.
    text = re.sub(r"(?<=[0-9a-fA-F])'(?=[0-9a-fA-F])", "_", text)
    return re.sub(pattern, blank, text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def folder_of(name):
    parts = name.split("/")
    return parts[1] if parts[0] == "src" and len(parts) > 2 else parts[0]


def check_layers(name, text, findings):
    folder = folder_of(name)
    if name.startswith("src/") and len(name.split("/")) > 2 and folder not in LAYERS:
        findings.add(name, 1, f"the folder {folder}/ has no layer",
                     "give it one in devtools/tidy.py and docs/architecture.md")
        return
    for match in re.finditer(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', text, re.M):
        target = match.group(1).split("/")[0]
        line = line_of(text, match.start())
        if target not in LAYERS or target == folder:
            continue
        if folder in LAYERS and LAYERS[target] >= LAYERS[folder]:
            way = "a folder on the same layer" if LAYERS[target] == LAYERS[folder] else "upward"
            findings.add(name, line, f"{folder} (layer {LAYERS[folder]}) includes {match.group(1)} (layer "
                         f"{LAYERS[target]}): {way}", "move what is shared to a lower layer, or register from above")
        elif name.startswith(("launch/", "cli/", "profile/", "preload/", "status/")) and LAYERS[target] > TOOLS_HIGHEST_LAYER \
                and match.group(1) not in PURE:
            findings.add(name, line, f"{name.split('/')[0]}/ includes layer {LAYERS[target]}",
                         f"tools use layers 0 to {TOOLS_HIGHEST_LAYER} only")


# How messages travel between nodes is the network folders' affair.
def check_network(name, text, findings):
    if not name.startswith("src/") or "/network/" in name:
        return
    for match in re.finditer(r'#\s*include "transport/network/[^"]+"', text):
        findings.add(name, line_of(text, match.start()), "includes transport/network/ outside of a network folder",
                     "ask message/network/")


# What the protocols of messages may know of each other. Core knows none.
PROTOCOLS_MAY_INCLUDE = {"core": (), "self": ("core",), "node": ("core",), "network": ("core",), "deposit": ("core", "node"),
                         "partitioned": ("core",)}


def check_protocols(name, text, findings):
    place = re.match(r"src/message/(\w+)/", name)
    if not place:
        return
    allowed = (place.group(1), *PROTOCOLS_MAY_INCLUDE.get(place.group(1), ()))
    for match in re.finditer(r'#\s*include "message/(\w+)/[^"]+"', text):
        if match.group(1) not in allowed:
            findings.add(name, line_of(text, match.start()), f"message/{place.group(1)}/ includes message/{match.group(1)}/",
                         "ask the peer's protocol (message/core/protocol.hpp)")


# Within a folder includes run in one direction, and so between the folders of launch/.
LAUNCH_FOLDERS = ("hosts", "reports", "run", "options")  # each includes itself and those behind it


def includes_by_folder(names):
    """Folder -> unit -> other unit of the folder that it includes -> place. A unit is a header with its source."""
    known, folders = set(names), {}
    for name in names:
        folder, unit = os.path.dirname(name), os.path.splitext(os.path.basename(name))[0]
        others = folders.setdefault(folder, {}).setdefault(unit, {})
        text = read(name)
        for match in re.finditer(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', text, re.M):
            path = match.group(1)
            other = os.path.splitext(os.path.basename(path))[0]
            if other != unit and any(os.path.dirname(full) == folder and full in known
                                     for full in (f"src/{path}", path, f"{folder}/{path}")):
                others.setdefault(other, (name, line_of(text, match.start())))
    return folders


def cycles_in(graph):
    """Cycles as lists of units. Without the includes that lead from the end of each to its begin, none would be left."""
    path, done, found = [], set(), []

    def visit(unit):
        path.append(unit)
        for other in sorted(graph[unit]):
            if other in path:
                found.append(path[path.index(other):])
            elif other not in done:
                visit(other)
        done.add(path.pop())

    for unit in sorted(graph):
        if unit not in done:
            visit(unit)
    return found


def check_cycles(names, findings):
    for _, graph in sorted(includes_by_folder(names).items()):
        for cycle in cycles_in(graph):
            name, line = graph[cycle[-1]][cycle[0]]
            findings.add(name, line, f"a cycle of includes: {' -> '.join((*cycle, cycle[0]))}",
                         "move what both need to a header of its own")


def check_launch_folders(name, text, findings):
    parts = name.split("/")
    if parts[0] != "launch" or len(parts) < 3:
        return
    if parts[1] not in LAUNCH_FOLDERS:
        findings.add(name, 1, f"launch/{parts[1]}/ has no place in the order of folders",
                     "give it one in devtools/tidy.py and docs/architecture.md")
        return
    for match in re.finditer(r'#\s*include "launch/(?:(\w+)/)?[^"]+"', text):
        if match.group(1) not in LAUNCH_FOLDERS[LAUNCH_FOLDERS.index(parts[1]):]:
            findings.add(name, line_of(text, match.start()), f"launch/{parts[1]}/ includes "
                         f"launch/{match.group(1) + '/' if match.group(1) else ''}: upward",
                         f"the order is {', '.join(LAUNCH_FOLDERS)}")


# Above the links nobody knows how lines travel. The deposit study's queues are rings in its own words.
LINK_LAYER = 5
OF_LINKS = re.compile(r"\b\w*[Aa]rena\w*\b|\b\w*(?<!Deposit)Ring\b|\bring_(?:bytes|lines)\b|\bshared_ring\w*\b")
OF_LINKS_ALLOWED = re.compile(r"deposit_ring_bytes|deposit\.ring_bytes|counters\.shared_ring")


def check_links(name, text, code, findings):
    if LAYERS.get(folder_of(name), 0) <= LINK_LAYER or not name.startswith("src/"):
        return
    for number, line in enumerate(code.split("\n"), 1):
        if not is_generated(name) and "message/deposit/" not in name and OF_LINKS.search(OF_LINKS_ALLOWED.sub("", line)):
            findings.add(name, number, "a ring or an arena above layer 5", "ask transport/node.hpp or the link")
    for match in re.finditer(r'#\s*include "(transport/arena\.hpp|lockfree/\w*ring\w*\.hpp)"', text):
        if "message/deposit/" not in name:
            findings.add(name, line_of(text, match.start()), f"includes {match.group(1)}: a ring or an arena above layer 5",
                         "ask transport/node.hpp or the link")


def check_size(name, text, findings):
    count = text.count("\n")
    limit = HEADER_LINES if name.endswith((".hpp", ".h")) else SOURCE_LINES
    if count >= limit:
        findings.add(name, count, f"{count} lines, the limit is {limit - 1}", "divide it")


KEYWORDS = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b")


def function_spans(code):
    """(first line, last line) of every brace block that is a function's body: outside of functions, opened
    after a parameter list."""
    stack, spans, inside = [], [], 0
    start = 0
    for match in re.finditer(r"[{};]", code):
        token, position = match.group(0), match.start()
        if token == ";":
            if not inside:
                start = position + 1
            continue
        if token == "{":
            head = code[start:position]
            if not inside and re.search(r"[\w>]$", head):  # member{value}: part of what comes before a body
                stack.append((None, position))
                continue
            is_function = bool(not inside and ")" in head and not re.search(r"=\s*$", head) and (
                not KEYWORDS.search(head.split("(")[0]) or re.search(r"\)\s*(const|noexcept|override|\s)*$", head)))
            stack.append((is_function, position - len(head.lstrip()) if head.strip() else position))
            inside += is_function
        elif stack:
            was_function, first = stack.pop()
            if was_function is None:
                continue
            if was_function:
                inside -= 1
                spans.append((line_of(code, first), line_of(code, position)))
        if not inside:
            start = position + 1
    return spans


def check_functions(name, code, findings):
    plain = re.sub(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", lambda m: re.sub(r"[^\n]", " ", m.group(0)), code, flags=re.M)
    for first, last in function_spans(plain):
        if last - first + 1 >= FUNCTION_LINES:
            findings.add(name, first, f"a function of {last - first + 1} lines, the limit is {FUNCTION_LINES - 1}",
                         "divide it by what it does")


def preprocessor_ladders(code):
    """Lines of #elif, and of #if nested in #if: choices that belong in one place each."""
    depth, found = 0, []
    for number, line in enumerate(code.split("\n"), 1):
        directive = re.match(r"\s*#\s*(if|ifdef|ifndef|elif|endif)\b", line)
        if not directive:
            continue
        if directive.group(1) == "endif":
            depth -= 1
        elif directive.group(1) == "elif":
            found.append(number)
        else:
            depth += 1
            if depth > 1:
                found.append(number)
    return found


def check_bans(name, code, findings):
    bans = [
        (r"\bvolatile\b(?!\s*\()", ("src", "launch", "cli", "profile", "preload"), "volatile", "use std::atomic with an order"),
        (r"\bmemory_order(?:_|::)seq_cst\b", ("src", "launch", "cli", "profile", "preload"),
         "seq_cst, but in a function named as a fence or membarrier or with an ORDER name,",
         "name the edge in a comment (ORDER name:) or use acquire and release"),
        (r"\bgetenv\s*\(", ("src", "launch", "cli", "profile", "preload"), "getenv", "make it a row of base/settings_table.hpp"),
        (r"\bthrow\b|\bcatch\s*\(|\btry\s*\{", ("src",), "an exception", "return an Error or a value with a reason"),
        (r"\bstderr\b|\bSTDERR_FILENO\b|\bperror\s*\(|\bwrite\s*\(\s*2\b", ("src", "preload"), "writing to standard error",
         "call report() or write_report() of base/report.hpp, which raise no SIGPIPE"),
        (r"\bdynamic_cast\b|\btypeid\b", ("src",), "run-time type information", "say the kind in the data"),
    ]
    for pattern, folders, what, remedy in bans:
        if not name.startswith(tuple(f"{folder}/" for folder in folders)):
            continue
        for match in re.finditer(pattern, code):
            line = line_of(code, match.start())
            if what == "getenv" and name.startswith(("src/base/environment", "launch/")):
                continue
            if what == "writing to standard error" and name == "src/platform/report.cpp":
                continue
            source = read(name).split("\n")
            near = "\n".join(source[max(0, line - 5):line])
            if what == "volatile" and re.search(r"\basm\b|__asm__", source[line - 1]):
                continue
            if what.startswith("seq_cst") and "_fence(std::memory_order" in source[line - 1] and re.search(
                    r"ORDER |\w*_fence\(\)|membarrier\w*\(\)", near):
                continue
            findings.add(name, line, f"{what} is banned", remedy)
    if name.startswith("src/") and folder_of(name) in HOT_FOLDERS:
        for line in preprocessor_ladders(code):
            findings.add(name, line, "an #if ladder in a hot folder", "choose in platform/, once")


def check_implicit_order(name, code, findings):
    """load(), store() and their kin without an order are seq_cst by default."""
    if not name.startswith(("src/", "launch/", "cli/", "profile/", "preload/", "status/")):
        return
    calls = r"\.(load|store|exchange|fetch_add|fetch_sub|fetch_or|fetch_and|compare_exchange_(?:weak|strong))\s*\("
    for match in re.finditer(calls, code):
        depth, at = 1, match.end()
        while at < len(code) and depth:
            depth += {"(": 1, ")": -1}.get(code[at], 0)
            at += 1
        arguments = code[match.end():at - 1]
        expected_empty = match.group(1) != "load" and not arguments.strip()
        if "order" in arguments or "relaxed" in arguments or "acquire" in arguments or "release" in arguments:
            continue
        # Only atomics take these; something else with such a method has other arguments.
        if expected_empty or not re.search(r"atomic|Atomic", code):
            continue
        findings.add(name, line_of(code, match.start()), f"{match.group(1)} without a memory order",
                     "say acquire, release or relaxed (with its reason)")


# In these folders comments are sentences that an engineer understands without another file; the tuple only grows.
COMMENTS_ARE_SENTENCES = ("src/", "cli/", "launch/", "profile/", "status/")
BEGINS_A_FRAGMENT = re.compile(r"\s*//+\s*(What|Whether|So many|The same|Of|Also|Those|As)\b")


def check_comments(name, text, findings):
    """A block of comment lines does not begin as fragments do. Comments behind code may be short noun phrases."""
    if not name.startswith(COMMENTS_ARE_SENTENCES):
        return
    continues = False
    for number, line in enumerate(text.split("\n"), 1):
        match = BEGINS_A_FRAGMENT.match(line)
        if match and not continues:
            findings.add(name, number, f"a comment begins with '{match.group(1)}'", "write a sentence with a subject")
        continues = line.lstrip().startswith("//")


def check_names(name, findings):
    stem = os.path.splitext(os.path.basename(name))[0]
    parts = set(os.path.dirname(name).split("/")) | set(re.split(r"[_.]", stem))
    for banned in ("util", "utils", "impl", "misc", "helper", "helpers"):
        if banned in parts:
            findings.add(name, 1, f"'{banned}' says nothing", "name it after what it is")


def check_start(name, text, findings):
    first = text.lstrip("\ufeff").split("\n", 1)[0]
    if name.endswith((".hpp", ".h")) and not first.startswith(("//", "/*")):
        findings.add(name, 1, "the file does not say what it is", "open with a comment: what, who calls it, its invariant")
    if name.endswith(".hpp") and "#pragma once" not in text:
        findings.add(name, 1, "no #pragma once", "add it below the opening comment")


SIDES = {"release": r"release|acq_rel", "acquire": r"acquire|acq_rel"}


def sides_of(comment):
    """Which sides a comment says stand here: "release here, acquire in f"; "acquire in f" alone names the
    other side; "release by each, acquire by the last" names both."""
    here = re.findall(r"\b(release|acquire)\b(?= here)", comment)
    if here:
        return set(here)
    named = set(re.findall(r"\b(release|acquire)\b", comment))
    there = re.match(r"\s*(release|acquire) in ", comment)
    return {"release", "acquire"} - named if there and len(named) == 1 else named


def orders_of(names, findings):
    """ORDER name -> side -> first place; a side counts only where the code has it too."""
    edges = {}
    for name in names:
        text = read(name)
        lines, code = text.split("\n"), without_comments_and_strings(text).split("\n")
        for number, line in enumerate(lines):
            match = re.search(r"//.*\bORDER ([a-z0-9_.]+):(.*)", line)
            if not match:
                continue
            edge, comment, after = match.group(1), match.group(2), number + 1
            while after < len(lines) and lines[after].lstrip().startswith("//") and "ORDER " not in lines[after]:
                comment += " " + lines[after].lstrip(" /")
                after += 1
            sides = edges.setdefault(edge, {"": (name, number + 1)})
            for side in sides_of(comment.split(";")[0]):
                if re.search(SIDES[side], " ".join(code[number:after + 10])):
                    sides.setdefault(side, (name, number + 1))
                else:
                    findings.add(name, number + 1, f"ORDER {edge} promises {side}, the code below does not have it",
                                 "move the comment to its statement, or give the statement its order")
    return edges


def check_orders(names, findings):
    for edge, sides in sorted(orders_of(names, findings).items()):
        for side, other in (("release", "acquire"), ("acquire", "release")):
            if side not in sides:
                findings.add(*sides[""], f"ORDER {edge} has no {side} side", f"name it in a comment where the {side} is, "
                             f"as at the {other}")


def check_lab(name, text, findings):
    """The lab's Python: the same sizes, a docstring first, and a frame that knows no study."""
    check_size(name, text, findings)
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        findings.add(name, error.lineno or 1, f"no Python: {error.msg}", "repair it")
        return
    if not ast.get_docstring(tree):
        findings.add(name, 1, "the file does not say what it is", "open with a docstring: what, who calls it")
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            lines = node.end_lineno - node.lineno + 1
            if lines >= FUNCTION_LINES:
                findings.add(name, node.lineno, f"a function of {lines} lines, the limit is {FUNCTION_LINES - 1}",
                             "divide it by what it does")
        modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else \
            [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        for module in modules:
            if name.startswith("lab/frame/") and module.split(".")[0] == "lab" and not module.startswith("lab.frame"):
                findings.add(name, node.lineno, f"the frame imports {module}", "hand it over from the study")


def check_decisions(names, findings):
    """A decision is one screen in four parts, is listed, and is there where a file names its page."""
    pages = {name for name in names if name.endswith(".md") and name.startswith((DECISIONS, "docs/measurements/"))}
    lists = {DECISIONS: "docs/decisions.md", "docs/measurements/": "docs/measurements.md"}
    listed = {place: read(name) for place, name in lists.items() if name in names}
    for name in sorted(pages):
        place = name[:name.rindex("/") + 1]
        if f"]({name.removeprefix('docs/')})" not in listed.get(place, ""):
            findings.add(name, 1, "nobody finds this page", f"list it in {lists.get(place, 'an index')}")
        if place == DECISIONS:
            text = read(name)
            lines, words = text.count("\n"), len(text.split())
            parts = re.findall(r"^## (.*)$", text, re.M)
            if parts != DECISION_PARTS:
                findings.add(name, 1, f"its parts are {', '.join(parts) or 'none'}",
                             f"write {', '.join(DECISION_PARTS)}, in this order")
            if lines > DECISION_LINES or words > DECISION_WORDS:
                findings.add(name, lines, f"{lines} lines, {words} words, the limit is {DECISION_LINES} and {DECISION_WORDS}",
                             "move numbers to docs/measurements/, descriptions to docs/, or divide it")
    for name in names:
        if not name.endswith((*CODE, ".py", ".md", ".json", ".txt")):
            continue
        text = read(name)
        beside = r"|(?<=\]\()[\w-]+\.md\b" if name in pages else ""
        for match in re.finditer(r"\b(?:decisions|measurements)/[\w-]+\.md\b" + beside, text):
            page = match.group(0)
            if (f"docs/{page}" if "/" in page else os.path.join(os.path.dirname(name), page)) not in pages:
                findings.add(name, line_of(text, match.start()), f"{match.group(0)} is not there", "name the page that is")


def check_mirror(names, findings):
    """A test file stands where its subject stands."""
    subjects = {os.path.splitext(name)[0] for name in names}
    for name in names:
        match = re.fullmatch(r"tests/(" + "|".join(LAYERS) + r")/(.+)_test\.cpp", name)
        if match and f"src/{match.group(1)}/{match.group(2)}" not in subjects:
            findings.add(name, 1, f"it tests src/{match.group(1)}/{match.group(2)}, which is not there",
                         "name it after its subject")


# Every source of the layers of messages and what stands on them has a unit test, or says which other test covers it.
UNIT_TESTED = [folder for folder, layer in LAYERS.items() if 3 <= layer <= 9]
COVERED_BY = "tests/covered_by.txt"


def unit_test_of(name):
    return f"tests/{os.path.splitext(name.removeprefix('src/'))[0]}_test.cpp"


def covered(sources, findings, known):
    """The sources that lines of the table cover; notes lines that are wrong."""
    done = set()
    for number, line in enumerate(read(COVERED_BY).split("\n") if COVERED_BY in known else [], 1):
        if not line.strip() or line.startswith("#"):
            continue
        pattern, _, rest = line.partition("  ")
        meant = [name for name in sources if fnmatch.fnmatchcase(name, pattern) and
                 os.path.dirname(name) == os.path.dirname(pattern)]
        tests = re.findall(r"tests/[\w/]+\.\w+", rest)
        if not re.match(r" *tests/[^:]+: *\S", rest):
            findings.add(COVERED_BY, number, "no test, or not what it covers", "write SOURCE  TEST, TEST: what")
        for test in tests:
            if test not in known:
                findings.add(COVERED_BY, number, f"{test} is not there", "name the test that is")
        if not meant:
            findings.add(COVERED_BY, number, f"{pattern} names no source", "take the line away, or name the source as it is called")
        elif all(unit_test_of(name) in known for name in meant):
            findings.add(COVERED_BY, number, f"{pattern} has a unit test", "take the line away")
        done.update(meant)
    return done


def check_unit_tests(names, findings):
    known = set(names)
    sources = [name for name in names if name.endswith(".cpp") and name.startswith("src/") and folder_of(name) in UNIT_TESTED]
    elsewhere = covered(sources, findings, known)
    for name in sources:
        if unit_test_of(name) not in known and name not in elsewhere:
            findings.add(name, 1, "no test covers it", f"write {unit_test_of(name)}, or say in {COVERED_BY} which test does")


# State belongs to objects. The table has the mutable variables at namespace scope that stay, with their reasons.
VARIABLES = "devtools/variables.txt"
NO_VARIABLE = re.compile(r"\s*(?:using|typedef|friend|static_assert|template|concept|asm|enum|namespace)\b|.*\b(?:constexpr|operator)\b",
                         re.S)
ATTRIBUTE = re.compile(r"\[\[.*?\]\]|\bBATON_[A-Z_]+\b|\b(?:alignas|__attribute__)\s*"
                       r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)", re.S)
SPECIFIERS = re.compile(r"\s*((?:(?:static|inline|extern|thread_local|constinit)\s+)*)")


def at_namespace_scope(code):
    """(position, text) of each declaration at namespace scope that is no function's body, without what stands in braces."""
    code = re.sub(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", lambda match: re.sub(r"[^\n]", " ", match.group(0)), code, flags=re.M)
    depth, start, text = 0, 0, ""
    for match in re.finditer(r"[^{};]+|[{};]", code):
        token = match.group(0)
        if token == "{":
            if depth == 0 and re.fullmatch(r"\s*(?:(?:inline\s+)?namespace\b[\w:\s]*|extern\s*)", text):
                text = ""
            else:
                depth += 1
        elif token == "}" and depth == 0:
            text = ""
        elif token == "}":
            depth -= 1
            if depth == 0:
                head = re.sub(r"operator\W+", "", text)
                while head != (shorter := re.sub(r"\([^()]*\)", " ", head)):
                    head = shorter
                is_body = not head.strip() or (")" in text and not re.search(r"=|\bconstinit\b|^\s*(?:struct|class|union)\b", head))
                text = "" if is_body else text + "{}"
        elif token == ";" and depth == 0:
            yield start, text
            text = ""
        elif depth == 0:
            if not text.strip():
                start = match.start() + len(token) - len(token.lstrip())
            text += token


def mutable_variables(name, code):
    """(line, name) of each mutable variable that is defined at namespace scope. One whose initializer is in parentheses is
    known by its `constinit`."""
    for start, text in at_namespace_scope(code):
        text = ATTRIBUTE.sub(" ", re.sub(r"^\s*(?:struct|class|union)\b[^{}]*\{\}", "Type ", text))
        specifiers = SPECIFIERS.match(text)
        # Without `inline` it would be a variable of each source, or is a function whose type has a name.
        if "extern" in specifiers.group(1) or NO_VARIABLE.match(text.split("=")[0]) or (
                name.endswith(".hpp") and not re.search("inline|static|thread_local", specifiers.group(1))):
            continue
        declared = re.sub(r"\[[^\[\]]*\]", "[]", text[specifiers.end():].split("=")[0])
        while "<" in declared and declared != (shorter := re.sub(r"<[^<>]*>", " ", declared)):
            declared = shorter
        if function := re.match(r"[^()]*\(\s*\*\s*(const\s+)?(\w+)[^()]*\)\s*\(", declared):
            if not function.group(1):
                yield line_of(code, start), function.group(2)
            continue
        if "(" in declared and "constinit" not in specifiers.group(1):
            continue
        match = re.fullmatch(r"\s*([\w:\s*&]+?[\s*&])(\w+)[\s\[\]]*((?:,\s*\**\w+[\s\[\]]*)*)", re.sub(r"(?s)[{(].*", "", declared))
        if not match or re.fullmatch(r"\s*(?:struct|class|union|enum)\s*", match.group(1)):
            continue
        kind = match.group(1).rstrip()
        if kind.endswith("const") if "*" in kind else re.search(r"\bconst\b", kind):
            continue
        for variable in (match.group(2), *re.findall(r"\w+", match.group(3))):
            yield line_of(code, start), variable


def check_variables(names, findings):
    """Each mutable variable at namespace scope is in the table, and what the table names is there."""
    allowed, found = {}, set()
    for number, line in enumerate(read(VARIABLES).split("\n") if VARIABLES in names else [], 1):
        match = re.fullmatch(r"(src/\S+)  ([\w ]+): *\S.*", line)
        if match:
            allowed.update({(match.group(1), variable): number for variable in match.group(2).split()})
        elif line.strip() and not line.startswith("#"):
            findings.add(VARIABLES, number, "no variables, or no reason", "write FILE  NAMES: reason")
    for name in names:
        if name.startswith("src/") and name.endswith((".hpp", ".cpp")) and not is_generated(name):
            for line, variable in mutable_variables(name, without_comments_and_strings(read(name))):
                found.add((name, variable))
                if (name, variable) not in allowed:
                    findings.add(name, line, f"the mutable variable {variable} at namespace scope",
                                 f"make it a member of what owns it, or say in {VARIABLES} why it stays")
    for name, variable in allowed:
        if (name, variable) not in found:
            findings.add(VARIABLES, allowed[name, variable], f"{name} has no mutable variable {variable}",
                         "take it out of the table")


# The bytes of programs may lie where the processor must not touch them: datatype/ and transport/ move them. The table has the
# files of what calls them that copy bytes all the same, with what and why they may.
COPIES = "devtools/copies.txt"
MOVED_FOR_OTHERS = ("src/message/", "src/collective/", "src/window/", "src/topology/", "src/file/", "src/api/")
# A copy of one object of ours names its size.
COPY = re.compile(r"\b(?:__builtin_)?(?:memcpy|memmove|copy_run|copy_short|copy_around_cache)\(")


def arguments_at(code, start):
    """The text from an opening parenthesis to the one that closes it."""
    depth = 0
    for position in range(start, len(code)):
        depth += {"(": 1, ")": -1}.get(code[position], 0)
        if depth == 0:
            return code[start + 1:position]
    return code[start + 1:]


def copies_of_bytes(code):
    """The line of each copy of a number of bytes that is no object's size."""
    for match in COPY.finditer(code):
        if not re.search(r",\s*sizeof\s*(?:[\w.*]|->)+(?:\([^()]*\))?\s*$|,\s*sizeof\([^()]*\)\s*$", arguments_at(code, match.end() - 1)):
            yield line_of(code, match.start())


def check_copies(names, findings):
    """Each file that copies bytes beside datatype/ and transport/ is in the table, and what the table names does so."""
    allowed, found = {}, set()
    for number, line in enumerate(read(COPIES).split("\n") if COPIES in names else [], 1):
        if match := re.fullmatch(r"(src/\S+)  \S.*", line):
            allowed[match.group(1)] = number
        elif line.strip() and not line.startswith("#"):
            findings.add(COPIES, number, "no file, or no reason", "write FILE  what it copies, and why it may")
    for name in names:
        if name.startswith(MOVED_FOR_OTHERS) and name.endswith((".hpp", ".cpp")) and not is_generated(name):
            for line in copies_of_bytes(without_comments_and_strings(read(name))):
                found.add(name)
                if name not in allowed:
                    findings.add(name, line, "bytes are copied that may be a program's",
                                 f"use datatype/pack.hpp or transport/move/, or say in {COPIES} which bytes they are")
    for name in allowed.keys() - found:
        findings.add(COPIES, allowed[name], f"{name} copies no bytes", "take it out of the table")


def check_named_files(names, findings):
    """Sources that documents name are there."""
    for name in names:
        if not name.endswith(".md") or name.startswith("CHANGELOG"):
            continue
        text = read(name)
        for match in re.finditer(r"`(\w[\w./-]*/[\w.-]+\.(?:cpp|hpp|py|c|h))`", text):
            stands_for_all = re.search(r"/[xy]/|/y[._]", match.group(1))
            if not stands_for_all and not any(f"/{other}".endswith(f"/{match.group(1)}") for other in names):
                findings.add(name, line_of(text, match.start()), f"names {match.group(1)}, which is not there",
                             "name the file as it is called now")


def stands_alone(name, build):
    flags = ["-std=gnu++23", "-fsyntax-only", "-x", "c++"] if name.endswith(".hpp") else ["-fsyntax-only", "-x", "c"]
    compiler = "g++" if name.endswith(".hpp") else "gcc"
    done = subprocess.run([os.environ.get("CXX" if compiler == "g++" else "CC", compiler), *flags, "-w", "-I",
                           os.path.join(ROOT, "src"), "-I", os.path.join(ROOT, "include"), "-I", ROOT,
                           os.path.join(ROOT, name)], capture_output=True, text=True)
    if done.returncode == 0:
        return None
    errors = [line for line in done.stderr.splitlines() if "error" in line]
    # Quick tests do without the models' libraries.
    if name.startswith("sim/") and errors and re.search(r"(systemc|simgrid/\S+): No such file", errors[0]):
        return None
    return errors[0] if errors else done.stderr.strip()[:200]


def check_headers(names, build, findings):
    headers = [name for name in names if name.endswith((".hpp", ".h")) and not name.startswith("tests/")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for name, error in zip(headers, pool.map(lambda header: stands_alone(header, build), headers)):
            if error:
                findings.add(name, 1, f"does not compile alone: {error}", "include what it uses")


def check_generated(findings):
    for generator in ("src/api/generate/generate.py", "fortran/generate/generate.py"):
        check_generator(generator, findings)


def check_generator(generator, findings):
    script = os.path.join(ROOT, generator)
    if not os.path.exists(script):
        findings.add(generator, 1, "the generator is missing", "restore it")
        return
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, script, "--into", folder], capture_output=True, text=True)
        if done.returncode != 0:
            findings.add(generator, 1, f"the generator failed: {done.stderr[-300:]}", "repair it")
            return
        for path, _, names in os.walk(folder):
            for name in names:
                relative = os.path.relpath(os.path.join(path, name), folder)
                kept = os.path.join(ROOT, relative)
                with open(os.path.join(path, name), "rb") as file:
                    fresh = file.read()
                if not os.path.exists(kept) or open(kept, "rb").read() != fresh:
                    findings.add(relative, 1, "this generated file is not fresh", "run ./dev gen")


def main():
    parser = argparse.ArgumentParser(prog="./dev tidy", description=__doc__)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help=argparse.SUPPRESS)
    parser.add_argument("--fast", action="store_true", help="only what needs no compiler and no generator")
    options = parser.parse_args()
    findings = Findings()
    names = files()
    code_names = [name for name in names if name.endswith(CODE) and not is_generated(name)]
    for name in names:
        if name.endswith((*CODE, ".py")):
            check_names(name, findings)
        if name.startswith("lab/") and name.endswith(".py"):
            check_lab(name, read(name), findings)
    for name in code_names:
        text = read(name)
        code = without_comments_and_strings(text)
        check_layers(name, text, findings)
        check_links(name, text, code, findings)
        check_network(name, text, findings)
        check_protocols(name, text, findings)
        check_launch_folders(name, text, findings)
        check_size(name, text, findings)
        check_functions(name, code, findings)
        check_bans(name, code, findings)
        check_implicit_order(name, code, findings)
        check_start(name, text, findings)
        check_comments(name, text, findings)
    check_orders([name for name in code_names if name.startswith(("src/", "launch/", "status/"))], findings)
    check_mirror(names, findings)
    check_unit_tests(names, findings)
    check_variables(names, findings)
    check_copies(names, findings)
    check_cycles(code_names, findings)
    check_named_files(names, findings)
    check_decisions(names, findings)
    if not options.fast:
        check_headers(code_names, options.build, findings)
        check_generated(findings)
    for line in findings.lines:
        print(line)
    print(f"tidy: {len(code_names)} files, {len(findings.lines)} finding{'s' * (len(findings.lines) != 1)}")
    return 1 if findings.lines else 0


if __name__ == "__main__":
    sys.exit(main())
