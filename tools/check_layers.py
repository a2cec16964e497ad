#!/usr/bin/env python3
"""Checks every #include of the product against the tables of docs/layers.md.

Exit status 0 when the tree keeps its layers, 1 with one line per offence, 2 when the tables cannot be read.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
OUTSIDE = ("tests/", "bench/")


def rows(text, heading):
    """The rows of the table whose header line begins with heading, as lists of cells."""
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith(f"| {heading} |"):
            next(lines)
            break
    else:
        sys.exit(f"docs/layers.md has no table that begins with '{heading}'")
    found = []
    for line in lines:
        if not line.startswith("|"):
            break
        found.append([cell.strip() for cell in line.strip().strip("|").split("|")])
    return found


def tracked():
    listing = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.h", "*.cc"],
                             cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listing.stdout.splitlines() if (ROOT / name).exists()]


def folder_of(path, folders):
    """The longest folder of the table that holds path, or None."""
    parent = str(pathlib.PurePosixPath(path).parent)
    while parent not in folders:
        if "/" not in parent:
            return None
        parent = parent.rsplit("/", 1)[0]
    return parent


def door_open(path, allowed):
    parent = str(pathlib.PurePosixPath(path).parent)
    for place in allowed:
        if place == path or place.endswith("/*") and parent == place[:-2]:
            return True
        if not place.endswith("/*") and (parent == place or parent.startswith(place + "/")):
            # A folder opens the door for its subfolders too, unless they have a layer of their own.
            return True
    return False


def main():
    text = (ROOT / "docs/layers.md").read_text(encoding="utf-8")
    layers = {cells[0]: {p.strip() for p in cells[2].split(",") if p.strip()} for cells in rows(text, "folder")}
    number = {cells[0]: int(cells[1]) for cells in rows(text, "folder")}
    doors = {cells[0]: [p.strip() for p in cells[1].split(",")] for cells in rows(text, "header")}
    offences = []
    for folder, may in layers.items():
        for other in may:
            if other not in number:
                offences.append(f"docs/layers.md: '{folder}' names the unknown folder '{other}'")
            elif number[other] >= number[folder]:
                offences.append(f"docs/layers.md: '{folder}' may not stand below '{other}'")
    files = tracked()
    if not files:
        sys.exit("no source files found")
    checked = 0
    for name in files:
        if name.startswith(OUTSIDE):
            continue
        home = folder_of(name, layers)
        if home is None:
            offences.append(f"{name}: stands in no folder of docs/layers.md")
            continue
        for at, line in enumerate((ROOT / name).read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            checked += 1
            target = match.group(2)
            if match.group(1) == '"':
                other = folder_of(target, layers)
                if other is None:
                    offences.append(f"{name}:{at}: \"{target}\" is no header of the product")
                elif other != home and other not in layers[home]:
                    offences.append(f"{name}:{at}: {home} (layer {number[home]}) may not include {target}"
                                    f" (layer {number[other]})")
                if not (ROOT / target).exists() and other is not None:
                    offences.append(f"{name}:{at}: \"{target}\" does not exist")
            else:
                for door, allowed in doors.items():
                    if (target == door or door.endswith("/") and target.startswith(door)
                            or not door.endswith(".h") and target.startswith(door)) and not door_open(name, allowed):
                        offences.append(f"{name}:{at}: <{target}> belongs to {', '.join(allowed)}")
    for line in offences:
        print(line)
    print(f"layers: {checked} includes in {len(files)} files, {len(offences)} offences")
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
