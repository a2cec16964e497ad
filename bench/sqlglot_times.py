"""Times sqlglot's parse and print of T-SQL statements.

usage: sqlglot_times.py FILE TIMES    FILE: statements, each ended by a zero byte
Prints "index microseconds" for each statement that sqlglot can read and print: the median of TIMES calls.
"""
import logging
import statistics
import sys
import time

import sqlglot

logging.disable(logging.CRITICAL)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        statements = file.read().split("\0")[:-1]
    for index, sql in enumerate(statements):
        times = []
        try:
            for _ in range(int(sys.argv[2])):
                begin = time.perf_counter()
                sqlglot.parse_one(sql, read="tsql").sql("tsql")
                times.append(time.perf_counter() - begin)
        except (sqlglot.errors.SqlglotError, RecursionError, ValueError, TypeError, AttributeError):
            continue
        print(index, statistics.median(times) * 1e6)


if __name__ == "__main__":
    main()
