# SPDX-License-Identifier: MIT
"""Collects comparisons; all of them are made before a test fails."""
import sys


class Verdict:
    def __init__(self, name):
        self.name, self.made, self.wrong = name, 0, []

    def true(self, what, ok, detail=''):
        self.made += 1
        if not ok:
            self.wrong.append(f'{what}: {detail}' if detail else what)

    def equal(self, what, got, want):
        self.true(what, got == want, f'{got!r}, but {want!r} is right')

    def at_least(self, what, got, least):
        self.true(what, got is not None and got >= least, f'{got!r}, but at least {least!r}')

    def between(self, what, got, low, high):
        self.true(what, got is not None and low <= got <= high,
                  f'{got!r}, but {low!r} to {high!r}')

    def same_rows(self, what, got, want):
        """Two mappings name -> number, compared row by row; missing counts as absent."""
        self.true(f'{what}: rows', bool(want) == bool(got), f'{len(got)}, but {len(want)}')
        for name in sorted(set(got) | set(want)):
            self.equal(f'{what} of {name}', got.get(name), want.get(name))

    def close(self):
        for line in self.wrong[:60]:
            print(f'WRONG {self.name}: {line}')
        print(f'{self.name}: {self.made} comparisons, {len(self.wrong)} wrong')
        sys.exit(1 if self.wrong or not self.made else 0)
