#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A report of what had to fold is the same however many read the log, and however it comes.

usage: test_folding.py PROFVIEW BIGLOG
"""
import os
import subprocess
import sys
import tempfile

DEADLINE = 200
SECTIONS = 'coverage,events,methods,classes,threads,gc'
# Kind, MB: more call paths, or stacks, than are told apart.
LOGS = [('paths', '18'), ('stacks', '14')]


def report(profview, path, *more, stdin=None):
    return subprocess.run([profview, 'report', path, '--no-index', '--format', 'json',
                           '--section', SECTIONS, *more], stdin=stdin, stdout=subprocess.PIPE,
                          timeout=DEADLINE, check=True).stdout


def in_pieces(profview, path):
    """Through a pipe, in pieces that end anywhere."""
    with open(path, 'rb') as log:
        data = log.read()
    reader = subprocess.Popen([profview, 'report', '-', '--no-index', '--format', 'json',
                               '--section', SECTIONS],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    at, size = 0, 1
    with reader.stdin as to:
        while at < len(data):
            os.write(to.fileno(), data[at:at + size])
            at += size
            size = size * 7 % 60013
    out = reader.stdout.read()
    assert reader.wait(timeout=DEADLINE) == 0
    return out


def tree(profview, path, jobs):
    """The call tree's and the sites' first rows: which were kept shows there."""
    return subprocess.run([profview, 'report', path, '--no-index', '--format', 'json', '--section',
                           'call_tree,allocation_sites', '--limit', '200', '--jobs', jobs],
                          stdout=subprocess.PIPE, timeout=DEADLINE, check=True).stdout


def main(profview, biglog):
    with tempfile.TemporaryDirectory() as folder:
        for kind, size in LOGS:
            path = os.path.join(folder, kind + '.mlpd')
            with open(path, 'wb') as out:
                subprocess.run([biglog, kind, size], stdout=out, timeout=DEADLINE, check=True)
            alone = report(profview, path, '--jobs', '1')
            assert b'folded' in alone, f'{kind}: nothing folded'
            for jobs in '2', '8':
                assert report(profview, path, '--jobs', jobs) == alone, f'{kind}: --jobs {jobs}'
            assert body(in_pieces(profview, path)) == body(alone), f'{kind}: through a pipe'
            assert tree(profview, path, '1') == tree(profview, path, '8'), f'{kind}: the tree'
            os.unlink(path)


def body(report_bytes):
    """All but the source: it says where the log came from."""
    return report_bytes[report_bytes.index(b'"target"'):]


if __name__ == '__main__':
    main(*sys.argv[1:])
