#!/usr/bin/env python3
"""Public questions over small databases whose semantic layer nobody has written: what is right, wrong and refused.

Serves every SQLite file of ../shared/data/spider_dev with `dragoman warehouse`, drafts its layer with `dragoman init`
alone, asks all of its questions with `dragoman eval` (no model) and prints a table per database and overall. The expected
rows come from the set's own SQL, run by SQLite. Another folder (--data) may hold databases as scripts, NAME.sql, and
questions that have no right answer, `"expect": "refused"`.

  tools/eval_spider.py BUILD [--data DIR] [--out DIR] [--show wrong|refused] [--min-right P] [--min-precision P]
"""
import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def expected_rows(database, sql):
    """Rows of the set's own SQL; None where SQLite refuses it."""
    with sqlite3.connect(f"file:{database}?mode=ro&immutable=1", uri=True) as connection:
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        try:
            return [list(row) for row in connection.execute(sql).fetchall()]
        except sqlite3.Error:
            return None


def write_set(file, questions, database):
    kept = 0
    with open(file, "w", encoding="utf-8") as out:
        for q in questions:
            # An answer to what must be refused is wrong whatever it is.
            rows = [["no answer is right"]] if q.get("expect") == "refused" else expected_rows(database, q["sql"])
            if rows is None:
                continue
            kept += 1
            line = {"id": q["id"], "lang": "en", "class": q["db"], "question": q["question"], "expect": "rows",
                    "rows": rows, "order_matters": bool(q.get("order_matters"))}
            out.write(json.dumps(line, ensure_ascii=False) + "\n")
    return kept


def serve(dragoman, file):
    process = subprocess.Popen([dragoman, "warehouse", "--db", str(file), "--port", "0"], stdout=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    found = re.search(r":(\d+) for login", line)
    if not found:
        process.terminate()
        sys.exit(f"eval_spider: the warehouse of {file} did not start")
    return process, found.group(1)


def kind_of_refusal(note):
    """The sentence without the words of the question."""
    note = re.sub(r'\s*\(?"[^"]*"(, "[^"]*")*\)?', "", note)
    for beginning, kind in (("These words are not accounted for", "unknown words"),
                            ("The question is not understood for certain: ", "")):
        at = note.find(beginning)
        if at >= 0:
            rest = note[at + len(beginning):].split(".")[0].strip(" :")
            rest = re.sub(r"\b(from|to) \w+", r"\1 …", rest) if "ways" in rest or "references" in rest else rest
            rest = re.sub(r"^.* are not related", "things that are not related", rest)
            return kind or rest
    return note[:70] or "other"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--data", default=str(ROOT.parent / "shared" / "data" / "spider_dev"))
    parser.add_argument("--out")
    parser.add_argument("--only", help="one database")
    parser.add_argument("--show", choices=["wrong", "refused", "right"], action="append", default=[])
    parser.add_argument("--min-right", type=float, default=0)
    parser.add_argument("--min-precision", type=float, default=0)
    given = parser.parse_args()
    data = pathlib.Path(given.data)
    if not (data / "questions.jsonl").exists():
        print(f"eval-spider: not run ({data} is not there)")
        return 0
    dragoman = str(pathlib.Path(given.build) / "dragoman")
    out = pathlib.Path(given.out or pathlib.Path(given.build) / "spider")
    by_database = collections.OrderedDict()
    for line in open(data / "questions.jsonl", encoding="utf-8"):
        q = json.loads(line)
        by_database.setdefault(q["db"], []).append(q)
    results = []
    for name, questions in by_database.items():
        if given.only and given.only != name:
            continue
        folder = out / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        # The warehouse opens its file for writing, and the data must stay as they are.
        copy = folder / f"{name}.sqlite"
        if (data / f"{name}.sql").exists():
            with sqlite3.connect(copy) as connection:
                connection.executescript((data / f"{name}.sql").read_text(encoding="utf-8"))
        else:
            shutil.copyfile(data / f"{name}.sqlite", copy)
        write_set(folder / "questions.jsonl", questions, copy)
        process, port = serve(dragoman, copy)
        try:
            environment = dict(os.environ, DRAGOMAN_UPSTREAM_PASSWORD="Warehouse1!")
            drafted = subprocess.run([dragoman, "init", "--from", f"127.0.0.1:{port}", "--database", name, "--user", "sa",
                                      "--encryption", "off", "--out", str(folder)], env=environment, capture_output=True, text=True)
            if drafted.returncode != 0:
                sys.exit(f"eval_spider: init of {name} failed: {drafted.stderr}")
            asked = subprocess.run([dragoman, "eval", "--set", str(folder / "questions.jsonl"), "--config",
                                    str(folder / "dragoman.yaml"), "--json", str(folder / "result.json")],
                                   env=environment, capture_output=True, text=True)
            if not (folder / "result.json").exists():
                sys.exit(f"eval_spider: eval of {name} failed: {asked.stderr}")
        finally:
            process.terminate()
            process.wait()
        results += json.load(open(folder / "result.json", encoding="utf-8"))["questions"]
    unanswerable = {(q["db"], q["question"]) for questions in by_database.values() for q in questions
                    if q.get("expect") == "refused"}
    counts = collections.OrderedDict()
    refusals = collections.Counter()
    rightly = 0
    for r in results:
        c = counts.setdefault(r["class"], collections.Counter())
        mark = {"right": "right", "wrong rows": "wrong"}.get(r["mark"], "refused")
        if mark == "refused" and (r["class"], r["question"]) in unanswerable:
            rightly += 1
            continue
        c[mark] += 1
        if mark == "refused":
            refusals[kind_of_refusal(r["note"])] += 1
        if mark in given.show:
            print(f"{mark:<8}{r['class']}: {r['question']}\n        {r['note']}")
    total = sum(counts.values(), collections.Counter())
    print(f"{'database':<32}{'asked':>7}{'right':>7}{'wrong':>7}{'refused':>9}{'right %':>9}{'of answered':>13}")
    for name, c in list(counts.items()) + [("all", total)]:
        asked, answered = sum(c.values()), c["right"] + c["wrong"]
        print(f"{name:<32}{asked:>7}{c['right']:>7}{c['wrong']:>7}{c['refused']:>9}{100 * c['right'] / max(asked, 1):>8.1f}%"
              f"{100 * c['right'] / max(answered, 1):>12.1f}%")
    if unanswerable:
        print(f"\nOf {len(unanswerable)} questions that have no right answer, {rightly} were refused (the rest count as wrong).")
    print("\nCommonest kinds of refusal:")
    for kind, n in refusals.most_common(12):
        print(f"{n:>5}  {kind}")
    right = 100 * total["right"] / max(sum(total.values()), 1)
    precision = 100 * total["right"] / max(total["right"] + total["wrong"], 1)
    return 0 if right >= given.min_right and precision >= given.min_precision else 1


if __name__ == "__main__":
    sys.exit(main())
