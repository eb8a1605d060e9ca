"""Prints lit's result file as the closing line of the test suite: N passed, N failed[, N skipped]."""

import collections
import json
import sys


def main():
    with open(sys.argv[1]) as file:
        tests = json.load(file)["tests"]
    codes = collections.Counter(test["code"] for test in tests)
    passed = codes.pop("PASS", 0)
    skipped = codes.pop("UNSUPPORTED", 0)
    failed = sum(codes.values())
    line = f"{passed} passed, {failed} failed"
    print(line + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
