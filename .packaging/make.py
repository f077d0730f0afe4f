#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes what ./bootstrap.sh package needs besides the compiler.

usage: make.py version SOURCE           the version of the packages, which says the commit
       make.py debian SOURCE FOLDER     the sources of the Debian packages, with debian/ in its place
       make.py portable SOURCE VIEWER OUT   packages that need no other: .deb, NuGet, npm
VIEWER is a program that has all it needs inside, or a folder with `profview` and what it needs.
SOURCE is a checkout, or what `git archive` or `meson dist` wrote.
"""
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

SUMMARY = 'A profiler that can be watched in a terminal'
ARCH = {'x86_64': ('amd64', 'linux-x64', 'x64'), 'aarch64': ('arm64', 'linux-arm64', 'arm64')} # Debian, .NET, npm


def git(source, *words):
    return subprocess.run(['git', '-C', source, *words], capture_output=True, text=True, check=True).stdout


def has_git(source):
    return (source / '.git').exists() and shutil.which('git')


class Commit:
    def __init__(self, source):
        said = (source / '.packaging/commit').read_text(encoding='utf-8')
        if said.startswith('$'): # no archive
            said = git(source, 'log', '-1', '--format=%ct %h %an <%ae>', '--abbrev=9') if has_git(source) else ''
        self.seconds, self.hash, self.who = said.split(maxsplit=2) if said else (time.time(), 'unknown', 'nobody <nobody@localhost>')
        self.seconds, self.who = int(self.seconds), self.who.strip()
        self.dirty = has_git(source) and git(source, 'status', '--porcelain', '--untracked-files=no') != ''

    def version(self, source):
        """0.1.0+20261128.1724.g012345678: in the order of commits for dpkg, build metadata elsewhere."""
        text = (source / 'meson.build').read_text(encoding='utf-8')
        day = time.strftime('%Y%m%d.%H%M', time.gmtime(self.seconds))
        return f'{re.search("version: .([0-9.]+)", text)[1]}+{day}.g{self.hash}{".dirty" if self.dirty else ""}'


def copyright_of(source):
    """LICENSE in the form that Debian asks for."""
    title, holder, text = (source / 'LICENSE').read_text(encoding='utf-8').split('\n\n', 2)
    assert title == 'MIT License'
    body = ''.join(f' {line or "."}\n' for line in text.rstrip().split('\n'))
    return ('Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: profview\n\n'
            f'Files: *\nCopyright: {holder[len("Copyright (c) "):]}\nLicense: Expat\n\nLicense: Expat\n{body}')


def debian(source, folder):
    commit, version = Commit(source), Commit(source).version(source)
    shutil.rmtree(folder, ignore_errors=True)
    names = git(source, 'ls-files', '-z').split('\0')[:-1] if has_git(source) else [
        p.relative_to(source) for p in source.rglob('*') if p.is_file() and not p.relative_to(source).parts[0].startswith('build')]
    for name in names:
        if (source / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / name, folder / name)
    shutil.copytree(folder / '.packaging/debian', folder / 'debian')
    control = folder / 'debian/control'
    control.write_text(control.read_text(encoding='utf-8').replace('@WHO@', commit.who), encoding='utf-8')
    (folder / 'debian/copyright').write_text(copyright_of(source), encoding='utf-8')
    day = time.strftime('%a, %d %b %Y %H:%M:%S +0000', time.gmtime(commit.seconds))
    (folder / 'debian/changelog').write_text(
        f'profview ({version}-1) unstable; urgency=medium\n\n  * Built from commit {commit.hash}.\n\n -- {commit.who}  {day}\n', encoding='utf-8')
    (folder / 'tui/app/commit').write_text(commit.hash + ('-dirty' if commit.dirty else '') + '\n', encoding='utf-8')


def main(what, source, *args):
    source = pathlib.Path(source).resolve()
    if what == 'version':
        print(Commit(source).version(source))
    elif what == 'debian':
        debian(source, pathlib.Path(*args).resolve())
    else:
        sys.exit(__doc__)


if __name__ == '__main__':
    main(*sys.argv[1:])
