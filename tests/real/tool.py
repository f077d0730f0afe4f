# SPDX-License-Identifier: MIT
"""profview run by a test, each exit code checked."""
import os
import pathlib
import subprocess

import target


class Tool:
    """Caches stand in the test's folder."""

    def __init__(self, profview, v, folder):
        self.profview, self.v, self.folder = profview, v, pathlib.Path(folder)
        self.env = {**os.environ, 'XDG_CACHE_HOME': f'{folder}/cache', 'LC_ALL': 'C.UTF-8'}

    def run(self, *words, code=0):
        done = subprocess.run([self.profview, *map(str, words)], capture_output=True, text=True,
                              timeout=target.DEADLINE * 4, check=False, env=self.env)
        self.v.true(f'exit code of {words}', done.returncode == code, (done.returncode, done.stderr[-300:]))
        return done
