"""The command line of `baton lab`: lists the studies, runs one, or all. Exit codes: 0 what was run is complete, 1 a step or
a study failed, 2 a wrong call, 130 (or 143) interrupted."""
import argparse
import os
import signal
import sys

from lab.frame.errors import LabError
from lab.frame.programs import Programs
from lab.frame.report import run_all
from lab.frame.run import Context, run_study
from lab.studies import STUDIES, find

ALL = "all"


class Ended(BaseException):
    """SIGTERM, as an exception, so that children are ended and files left whole."""


def end(*_):
    raise Ended


def listing():
    lines = ["The studies:"]
    lines += [f"  {study.name:9}{'' if study.built else '(not built yet) '}{study.question}" for study in STUDIES]
    return "\n".join([*lines, "", "baton lab NAME runs one; baton lab NAME --help says how.",
                      "baton lab all runs all of them and writes one page; baton lab all --help says how."])


def takes_command(study):
    return " [-- COMMAND ...]" if getattr(study.load(), "TAKES_COMMAND", False) else ""


def parser_of(name, about, more="", minutes="a minute"):
    parser = argparse.ArgumentParser(
        prog=f"baton lab {name}", allow_abbrev=False, usage=f"baton lab {name} [-h] [--quick] [--out DIR] [--fresh]{more}",
        description=f"{about}; steps that are done are kept there and used again.")
    parser.add_argument("--quick", action="store_true", help=f"coarser, within {minutes}")
    parser.add_argument("--out", metavar="DIR", default=f"lab-{name}",
                        help="folder of index.html, data.json and the raw data (default: %(default)s)")
    parser.add_argument("--fresh", action="store_true", help="do not use steps that are done already")
    return parser


def parser_of_study(study):
    return parser_of(study.name, f"{study.question} Writes a page and data.json", takes_command(study))


def parser_of_all():
    return parser_of(ALL, "Runs all studies one after the other, each in a folder of its own in DIR, and writes one page of them "
                     "all, data.json, rows.csv and findings.csv. A study that fails does not stop the others. A full run takes up "
                     "to ten minutes a study", minutes="six minutes")


def refuse(text):
    print(f"baton lab: {text}", file=sys.stderr)
    return 2


def run_one(study, context):
    context.programs.make_missing(study.load().PROGRAMS)
    return run_study(study, context)


def run(name, work, context):
    signal.signal(signal.SIGTERM, end)
    try:
        return work(context)
    except LabError as error:
        print(f"baton lab {name}: {error}", file=sys.stderr)
        return 1
    except (KeyboardInterrupt, Ended) as interruption:
        print(f"baton lab {name}: interrupted; steps that are done are kept in {context.folder}, the same command "
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
    if words[0] == ALL:
        if "--" in words:
            return refuse("all takes no command of yours after --; give it to one study")
        options = parser_of_all().parse_args(words[1:])
        return run(ALL, lambda context: run_all(STUDIES, context), Context(options.out, options.quick, options.fresh, programs))
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
    options = parser_of_study(study).parse_args(own)
    return run(study.name, lambda context: run_one(study, context), Context(options.out, options.quick, options.fresh, programs, command))
