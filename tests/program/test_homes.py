#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What profview keeps between its runs lies in folders of the user's own, or is not kept.

usage: test_homes.py PROFVIEW LOG.GZ
Root with another user's HOME, as with `sudo -E`, leaves that home as it is; so is the file system's
root, which is the home of users without one.
"""
import gzip
import os
import pathlib
import stat
import subprocess
import sys
import tempfile

DEADLINE = 60
OTHER = 65534
SAID = "no index is kept: the cache folder is another user's"
NAMES = 'HOME', 'XDG_CACHE_HOME', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME'
wrong = []


def check(what, got, want):
    if got != want:
        wrong.append(f'{what}: {got!r}, not {want!r}')


class Bench:
    """`home` and all in it may be another user's; what comes to be in it is seen by all()."""

    def __init__(self, profview, log, folder):
        self.profview, self.folder = os.path.abspath(profview), pathlib.Path(folder)
        self.data = gzip.decompress(pathlib.Path(log).read_bytes())
        self.home = self.folder / 'home'
        (self.home / 'there').mkdir(parents=True)

    def call(self, *words, **names):
        env = {name: value for name, value in os.environ.items() if name not in NAMES}
        done = subprocess.run([self.profview, *words], input=self.data, capture_output=True, check=False,
                              cwd=self.folder, timeout=DEADLINE, env={**env, **names})
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def all(self):
        return sorted(str(p.relative_to(self.folder)) for p in self.folder.rglob('*'))

    def leaves_all(self, what, says, **names):
        before = self.all()
        code, _, err = self.call('-', '--dump', '--size', '100x30', '--keys', '2:glyphs<Space>ascii<Enter><C-w>',
                                 **names)
        check(f'{what}: code', (code, err), (0, ''))
        check(f'{what}: made', [name for name in self.all() if name not in before], [])
        check(f'{what}: said', SAID in self.call('--version', **names)[1], says)


def others(b):
    if os.geteuid():
        print('only root can have the home of another user: not tried')
        return
    for path in b.home, b.home / 'there':
        os.chown(path, OTHER, OTHER)
    b.leaves_all("another's home", True, HOME=str(b.home))
    for under in 'there', 'fresh', 'fresh/deep':
        path = str(b.home / under)
        b.leaves_all(f"named, {under}", True, HOME='/root', XDG_CACHE_HOME=path, XDG_STATE_HOME=path,
                     XDG_CONFIG_HOME=path)
    for path in b.home, b.home / 'there':
        os.chown(path, 0, 0)


def none(b):
    b.leaves_all('no home', False)
    b.leaves_all('a relative home', False, HOME='home')
    hidden = {'.cache', '.local'}.difference(p.name for p in pathlib.Path('/').iterdir())
    b.call('report', '-', HOME='/')
    check('what is made at the root', [p.name for p in pathlib.Path('/').iterdir() if p.name in hidden], [])


def own(b):
    for under in '.cache', 'there', 'deep//er':
        names = {'HOME': str(b.home)} if under == '.cache' else {'XDG_CACHE_HOME': str(b.home / under)}
        code, _, err = b.call('report', '-', **names)
        check(f'own, {under}: code', (code, err), (0, ''))
        made = b.home / under / 'profview'
        check(f'own, {under}: its mode', oct(made.stat().st_mode) if made.exists() else None, oct(stat.S_IFDIR | 0o700))
        check(f'own, {under}: said', SAID in b.call('--version', **names)[1], False)


def main(profview, log):
    with tempfile.TemporaryDirectory() as folder:
        b = Bench(profview, log, folder)
        for case in others, none, own:
            case(b)
    print('\n'.join(wrong))
    return bool(wrong)


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
