"""Files that are either whole or not there, whenever the command is interrupted."""
import json
import os

from lab.frame.errors import LabError


def write(path, text):
    beside = f"{path}.new"
    try:
        with open(beside, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(beside, path)
    except OSError as error:
        raise LabError(f"cannot write {path}: {error.strerror}; choose another folder with --out") from None


def write_json(path, value, **more):
    write(path, json.dumps(value, ensure_ascii=False, **more) + "\n")


def read_json(path):
    """None where there is no such file, or a broken one."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def make_folder(path):
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise LabError(f"cannot make the folder {path}: {error.strerror}; choose another with --out") from None
