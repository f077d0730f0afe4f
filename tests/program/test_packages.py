#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The packages that `./bootstrap.sh package` made are installed, work from there, and leave nothing behind.

usage: test_packages.py deb|lintian FOLDER PROFVIEW LOG
PROFVIEW is of the same sources: what is installed reports the same of LOG, and knows its commit.
deb: into a root of its own, whose list of packages is this machine's, so that what they depend on is asked for.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import test_installed as installed

SOURCE = pathlib.Path(__file__).resolve().parents[2]
DOC = {'changelog.Debian.gz', 'changelog.gz', 'copyright'}


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, errors='replace', check=False, **more)
    if done.returncode:
        sys.exit(f'{command}: {done.returncode}\n{done.stdout[-1000:]}{done.stderr[-3000:]}')
    return done.stdout


def wanted(lib):
    """Every file below /usr, by package."""
    of = {'profview': {'bin/profview', 'share/bash-completion/completions/profview',
                       'share/zsh/vendor-completions/_profview', 'share/fish/vendor_completions.d/profview.fish'},
          'profview-probes': installed.PLATFORMS | installed.MONO | {f'{{lib}}/profview/libprofview-{name}.so' for name in
                             ('native', 'coreclr')} | {'share/lintian/overrides/profview-probes'},
          'libprofview-probe-dev': {'include/profview_probe.h', '{lib}/pkgconfig/profview-probe.pc'}}
    for page in installed.PAGES:
        of['profview-probes' if 'profview-probe.' in page else 'profview'].add(page + '.gz')
    return {name: {f.replace('{lib}', lib) for f in files} | {f'share/doc/{name}/{f}' for f in DOC} for name, files in of.items()}


def works(profview, ours, log, folder, commit):
    """It says its commit, reports what ours does, and records a program."""
    said = run(profview, '--version')
    if f'({commit})' not in said:
        sys.exit(f'{profview} says {said!r}, its package {commit}')
    report = ('report', '--no-index', '--format', 'json', log)
    if run(profview, *report) != run(ours, *report):
        sys.exit(f'{profview} reports other figures of {log}')
    run(profview, 'run', '--alloc=512k', '--record', 'run.mlpd', '--', '/bin/ls', cwd=folder)
    if not json.loads(run(profview, 'report', '--no-index', '--format', 'json', 'run.mlpd', cwd=folder))['coverage']:
        sys.exit('run.mlpd says nothing')


def commit_of(version):
    """0.1.0+20261128.1724.g012345678: the last word; behind it may stand that files were changed."""
    words = version.partition('+')[2].partition('-')[0].split('.')
    return '-'.join([words[2][1:], *words[3:]])


def deb(folder, ours, log):
    if os.geteuid():
        print('only root can install packages')
        return 77
    debs = sorted(pathlib.Path(folder).resolve().glob('*.deb'))
    with tempfile.TemporaryDirectory() as top:
        root = pathlib.Path(top, 'root')
        admin = root / 'var/lib/dpkg'
        for name in ('info', 'updates', 'triggers'):
            (admin / name).mkdir(parents=True)
        status = pathlib.Path('/var/lib/dpkg/status').read_text(encoding='utf-8').split('\n\n')
        (admin / 'status').write_text('\n\n'.join(s for s in status if 'profview' not in s.split('\n', 1)[0]), encoding='utf-8')
        dpkg = ('dpkg', f'--root={root}', '--force-unsafe-io', '--log=/dev/null')
        run(*dpkg, '-i', *debs, cwd=top)
        lib = 'lib/' + run('dpkg-architecture', '-qDEB_HOST_MULTIARCH').strip()
        for name, want in wanted(lib).items():
            listed = (root / f[1:] for f in run(*dpkg, '-L', name).split('\n') if f.startswith('/'))
            files = {f.relative_to(root / 'usr').as_posix() for f in listed if not f.is_dir()}
            if files != want:
                sys.exit(f'{name}: not installed: {want - files}; installed, too: {files - want}')
        version = run('dpkg-query', f'--root={root}', '-W', '-f', '${Version}', 'profview')
        works(root / 'usr/bin/profview', ours, log, top, commit_of(version))
        installed.links(root / 'usr/bin/profview', root / 'usr', lib, top, root)
        run(*dpkg, '-P', *wanted(lib), cwd=top)
        left = [p for p in root.rglob('*') if not p.is_dir() and admin not in p.parents]
        if left:
            sys.exit(f'left behind: {left}')
    print(f'{len(debs)} packages of {version}')
    return 0


def lintian(folder, *_):
    if not shutil.which('lintian'):
        print('lintian is not installed')
        return 77
    print(run('lintian', '--allow-root', '--fail-on', 'error', *pathlib.Path(folder).glob('*.deb')))
    return 0


def main(what, folder, *args):
    if not pathlib.Path(folder).is_dir():
        print('there are no packages: ./bootstrap.sh package makes them')
        return 77
    return {'deb': deb, 'lintian': lintian}[what](folder, *args)


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
