#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A live screen in a real terminal: two pictures a second, each with marks around it.

usage: test_calm.py PROFVIEW DEMO
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import term
from target import wait_for

SECONDS, LEAST = 8, 12  # and pictures, which a machine with much else to do draws more rarely


def main(profview, demo):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.mkfifo(folder / 'pipe')
        program = subprocess.Popen([demo, str(folder / 'pipe'), '40'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with term.Terminal(folder) as t:
            t.tmux('pipe-pane', f'cat >"{folder}/sent"')
            t.run(os.path.abspath(profview), '--follow', folder / 'pipe')
            t.wait(lambda screen: 'LIVE' in screen and re.search(r'00:00:(0[3-9]|[1-9]\d)', screen))
            before = (folder / 'sent').read_bytes().count(b'\x1b[?2026h')
            start = time.monotonic()
            time.sleep(SECONDS)  # what is counted is the time between pictures
            wait_for('pictures', lambda: (folder / 'sent').read_bytes().count(b'\x1b[?2026h') - before >= LEAST)
            took = time.monotonic() - start
            sent = (folder / 'sent').read_bytes()
            frames = sent.count(b'\x1b[?2026h') - before
            print(f'{frames} pictures in {took:.1f} s')
            if frames > 2.3 * took + 1:
                sys.exit(f'{frames} pictures in {took:.1f} s')
            if abs(sent.count(b'\x1b[?2026h') - sent.count(b'\x1b[?2026l')) > 1:
                sys.exit('a picture has no end')
            t.keys('q')
        program.kill()
        program.wait()


if __name__ == '__main__':
    main(*sys.argv[1:])
