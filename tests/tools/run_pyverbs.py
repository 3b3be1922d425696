#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Runs rdma-core's pyverbs tests on one device and reports them as TAP.

usage: run_pyverbs.py DIRECTORY DEVICE EXPECTED [PATTERN...]

DIRECTORY holds the tests, EXPECTED names those that are known to fail, one a line:
'module.Class.test  reason'. A test that does not end within a minute fails.
"""
import fnmatch
import os
import signal
import sys
import unittest
from importlib.machinery import SourceFileLoader

LIMIT = 60  # seconds


def expected_failures(path):
    """{name: reason}"""
    known = {}
    with open(path, encoding='utf-8') as lines:
        for line in lines:
            line = line.split('#')[0].strip()
            if line:
                name, reason = line.split(None, 1)
                known[name] = reason
    return known


class Tap(unittest.TestResult):
    """One line of TAP for each test."""

    def __init__(self, known):
        super().__init__()
        self.known = known
        self.count = 0
        self.bad = 0

    @staticmethod
    def name(test):
        return test.id().removeprefix('tests.')

    def say(self, verdict, test, tail='', detail=''):
        """A test's line, and what it had to say as comments."""
        self.count += 1
        print(f'{verdict} {self.count} - {self.name(test)}{tail}')
        for line in detail.splitlines():
            print(f'# {line}')
        sys.stdout.flush()

    def startTest(self, test):
        super().startTest(test)
        signal.alarm(LIMIT)

    def stopTest(self, test):
        signal.alarm(0)
        super().stopTest(test)

    def addSuccess(self, test):
        unexpected = ' (was expected to fail)' if self.name(test) in self.known else ''
        self.say('ok', test, unexpected)

    def addSkip(self, test, reason):
        reason = ' '.join(str(reason).split())
        self.say('ok', test, f' # SKIP {reason}')

    def failed(self, test, err):
        """An error and a failed assertion are the same here."""
        detail = self._exc_info_to_string(err, test)
        reason = self.known.get(self.name(test))
        if reason:
            self.say('ok', test, f' # SKIP known to fail: {reason}')
        else:
            self.bad += 1
            self.say('not ok', test, '', detail)

    def addError(self, test, err):
        self.failed(test, err)

    def addFailure(self, test, err):
        self.failed(test, err)


def too_long(_signal, _frame):
    raise TimeoutError(f'no end within {LIMIT} s')


def chosen(suite, patterns):
    """The tests that match one of the patterns."""
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from chosen(test, patterns)
        elif not patterns or any(fnmatch.fnmatch(Tap.name(test), p) for p in patterns):
            yield test


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    directory, device, expected, *patterns = sys.argv[1:]
    sys.argv[1:] = ['--dev', device]
    sys.path.insert(0, directory)
    # as the suite's own run_tests.py does it
    from args_parser import parser
    tests = SourceFileLoader('tests', os.path.join(directory, '__init__.py')).load_module()
    parser.parse_args()

    signal.signal(signal.SIGALRM, too_long)
    result = Tap(expected_failures(expected))
    suite = unittest.TestLoader().loadTestsFromModule(tests)
    for test in chosen(suite, patterns):
        test(result)
    print(f'1..{result.count}')
    sys.exit(1 if result.bad else 0)


main()
