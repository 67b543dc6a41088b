"""The command line of `baton lab`: lists the studies, or runs one. Exit codes: 0 the study is complete, 1 a step
failed, 2 a wrong call, 130 (or 143) interrupted."""
import argparse
import os
import signal
import sys

from lab.frame.errors import LabError
from lab.frame.programs import Programs
from lab.frame.run import Context, run_study
from lab.studies import STUDIES, find


class Ended(BaseException):
    """SIGTERM, as an exception, so that children are ended and files left whole."""


def end(*_):
    raise Ended


def listing():
    lines = ["The studies:"]
    lines += [f"  {study.name:9}{'' if study.built else '(not built yet) '}{study.question}" for study in STUDIES]
    return "\n".join([*lines, "", "baton lab NAME runs one; baton lab NAME --help says how."])


def takes_command(study):
    return " [-- COMMAND ...]" if getattr(study.load(), "TAKES_COMMAND", False) else ""


def parser_of(study):
    parser = argparse.ArgumentParser(
        prog=f"baton lab {study.name}", allow_abbrev=False,
        usage=f"baton lab {study.name} [-h] [--quick] [--out DIR] [--fresh]{takes_command(study)}",
        description=f"{study.question} Writes a page and data.json; steps that are done are kept there and used again.")
    parser.add_argument("--quick", action="store_true", help="coarser, within a minute")
    parser.add_argument("--out", metavar="DIR", default=f"lab-{study.name}",
                        help="folder of index.html, data.json and the raw data (default: %(default)s)")
    parser.add_argument("--fresh", action="store_true", help="do not use steps that are done already")
    return parser


def refuse(text):
    print(f"baton lab: {text}", file=sys.stderr)
    return 2


def run(study, options, programs, command):
    signal.signal(signal.SIGTERM, end)
    try:
        programs.make_missing(study.load().PROGRAMS)
        return run_study(study, Context(options.out, options.quick, options.fresh, programs, command))
    except LabError as error:
        print(f"baton lab {study.name}: {error}", file=sys.stderr)
        return 1
    except (KeyboardInterrupt, Ended) as interruption:
        print(f"baton lab {study.name}: interrupted; steps that are done are kept in {options.out}, the same command "
              "goes on from there", file=sys.stderr)
        return 130 if isinstance(interruption, KeyboardInterrupt) else 143


def main(words):
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folders = [os.path.join(root, "build", "bin"), os.path.join(root, "build", "libexec", "baton")]
    if words[:1] == ["--programs"]:  # how `baton` says where programs stand: its own folder, and that of ranks
        folders, words = words[1:3], words[3:]
    programs = Programs(*folders)
    if not words or words[0] in ("-h", "--help"):
        print(listing())
        return 0
    study = find(words[0])
    if study is None:
        names = ", ".join(each.name for each in STUDIES)
        return refuse(f"{words[0]!r} is no study; there are {names}" if not words[0].startswith("-")
                      else f"the study comes first, before {words[0]}: {names}")
    if not study.built:
        return refuse(f"the study {study.name} is not built yet; `baton lab` lists those that are")
    own, command = words[1:], []
    if "--" in own:
        at = own.index("--")
        own, command = own[:at], own[at + 1:]
        if not getattr(study.load(), "TAKES_COMMAND", False):
            return refuse(f"the study {study.name} takes no command of yours after --")
        if not command:
            return refuse("no command follows --")
    return run(study, parser_of(study).parse_args(own), programs, command)
