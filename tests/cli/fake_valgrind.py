#!/usr/bin/env python3
"""Stands in for Valgrind on the PATH of a test: runs the program natively, and after each of its answers writes the two
dumps that Callgrind would have written, with figures that any machine can count."""

import subprocess
import sys

DUMP = """# callgrind format
version: 1
creator: callgrind-3.99.0
positions: line
events: Ir Dr Dw D1mr D1mw DLmr DLmw SpLoss1
fl=(1) {file}
fn=(1) run
10 {costs}
totals: {costs}
"""


def dump(path, file, *costs):
    with open(path, "w", encoding="utf-8") as out:
        out.write(DUMP.format(file=file, costs=" ".join(map(str, costs))))


def main(arguments):
    if arguments == ["--version"]:
        print("valgrind-3.99.0")
        return 0
    options = dict(word[2:].partition("=")[::2] for word in arguments if word.startswith("--"))
    command = [word for word in arguments if not word.startswith("-")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        program.stdin.write(sys.stdin.readline())  # the module to load
        program.stdin.flush()
        print(program.stdout.readline(), end="", flush=True)
        for request in sys.stdin:
            program.stdin.write(request)
            program.stdin.flush()
            answer = program.stdout.readline()
            kind, *fields = answer.rstrip("\n").split("\t")
            if kind == "done":
                out = options["callgrind-out-file"].replace("%p", fields[0])
                items = int(fields[1])
                dump(out + ".1", "/src/harness/child.cpp", 17, 2, 7)
                dump(out + ".2", "/src/workloads/walk.hpp", 17 + 3 * items, 2 + items, 7, items // 2, 0, items // 4)
            print(answer, end="", flush=True)
        program.stdin.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
