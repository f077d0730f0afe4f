#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The packages that `./bootstrap.sh package` made are installed, work from there, and leave nothing behind.

usage: test_packages.py deb|static|npm|lintian FOLDER PROFVIEW LOG
       test_packages.py dotnet FOLDER PROFVIEW LOG PROGRAM
PROFVIEW is of the same sources: what is installed reports the same of LOG, and knows its commit.
deb: into a root of its own, whose list of packages is this machine's, so that what they depend on is asked for.
dotnet, npm: from FOLDER alone, without a network; PROGRAM, of .NET, runs until its input ends.
"""
import json
import os
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import sys
import tarfile
import tempfile
import time

import test_installed as installed

LIMIT = 60 # s
# README.md prints these (tests/real/test_printed.py sees to it); they are run in a folder with build/packages.
APT = 'apt install ./build/packages/profview{,-probes}_*.deb'
TOOL = 'dotnet tool install -g --source build/packages profview'
DNX = 'dotnet dnx --yes --source build/packages profview attach PID'
NPX = 'npx ./build/packages/profview-*.tgz run -- ./server'
DOC = {'changelog.Debian.gz', 'changelog.gz', 'copyright'}


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, errors='replace', check=False, **more)
    if done.returncode:
        sys.exit(f'{command}: {done.returncode}\n{done.stdout[-1000:]}{done.stderr[-3000:]}')
    return done.stdout


def one(folder, pattern):
    found = list(folder.glob(pattern))
    if len(found) != 1:
        sys.exit(f'{folder} has {found} for {pattern}')
    return found[0]


def inside(folder):
    """The files that the packages for all releases are made of."""
    with tarfile.open(one(folder, 'profview-*.tgz')) as tar:
        return {n.removeprefix('package/bin/') for n in tar.getnames() if n.startswith('package/bin/')}


def printed(command, folder, top, want, **env):
    """The command of README.md says what it is to say."""
    done = subprocess.run(['bash', '-c', command], cwd=where(folder, top), env={**os.environ, **env}, text=True, errors='replace',
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode or not re.search(want, done.stdout + done.stderr):
        sys.exit(f'{command}: {done.returncode}: {done.stdout}{done.stderr}')


def where(folder, top):
    at = pathlib.Path(top, 'at/build/packages')
    if not at.exists():
        at.parent.mkdir(parents=True)
        at.symlink_to(folder)
    return at.parents[1]


def wanted(lib):
    """Every file below /usr, by package."""
    of = {'profview': {'bin/profview', 'share/bash-completion/completions/profview',
                       'share/zsh/vendor-completions/_profview', 'share/fish/vendor_completions.d/profview.fish'},
          'profview-probes': installed.PLATFORMS | installed.MONO | {'share/lintian/overrides/profview-probes'} |
                             {f for f in installed.WANTED if f.startswith('{lib}/profview/')},
          'libprofview-probe-dev': {'include/profview_probe.h', '{lib}/pkgconfig/profview-probe.pc'}}
    for page in installed.PAGES:
        of['profview-probes' if 'profview-probe.' in page else 'profview'].add(page + '.gz')
    return {name: {f.replace('{lib}', lib) for f in files} | {f'share/doc/{name}/{f}' for f in DOC} for name, files in of.items()}


def works(profview, ours, log, folder, commit):
    """It says its commit, reports what ours does, and records a program."""
    of_commit(run(profview, '--version'), commit)
    report = ('report', '--no-index', '--format', 'json', log)
    if run(profview, *report) != run(ours, *report):
        sys.exit(f'{profview} reports other figures of {log}')
    run(profview, 'run', '--alloc=512k', '--record', 'run.mlpd', '--', '/bin/ls', cwd=folder)
    if not json.loads(run(profview, 'report', '--no-index', '--format', 'json', 'run.mlpd', cwd=folder))['coverage']:
        sys.exit('run.mlpd says nothing')


def commit_of(version):
    """Of 0.1.0+20261128.1724.g012345678 the hash; behind it stands whether files were changed."""
    return re.search(r'\.g([0-9a-f]+)(\.dirty)?', version).groups()


def of_commit(said, commit):
    got = re.search(r'\(([0-9a-f]+)(-dirty)?\)', said)
    if not got or not got[1].startswith(commit[0]) or bool(got[2]) != bool(commit[1]):
        sys.exit(f'says {said!r}, its package {commit}')


class Root:
    """A root of its own for dpkg, with the packages of a status file."""

    def __init__(self, top, status):
        self.root = pathlib.Path(top, 'root')
        self.admin = self.root / 'var/lib/dpkg'
        for name in ('info', 'updates', 'triggers'):
            (self.admin / name).mkdir(parents=True)
        (self.admin / 'status').write_text(status, encoding='utf-8')

    def dpkg(self, *words):
        return run('dpkg', f'--root={self.root}', '--force-unsafe-io', '--log=/dev/null', *words)

    def has(self, name, want):
        listed = (self.root / f[1:] for f in self.dpkg('-L', name).split('\n') if f.startswith('/'))
        files = {f.relative_to(self.root / 'usr').as_posix() for f in listed if not f.is_dir()}
        if files != want:
            sys.exit(f'{name}: not installed: {want - files}; installed, too: {files - want}')

    def version(self, name):
        return run('dpkg-query', f'--root={self.root}', '-W', '-f', '${Version}', name)

    def remove(self, *names):
        self.dpkg('-P', *names)
        left = [p for p in self.root.rglob('*') if not p.is_dir() and self.admin not in p.parents]
        if left:
            sys.exit(f'left behind: {left}')


def deb(folder, ours, log):
    if os.geteuid():
        print('only root can install packages')
        return 77
    stanzas = pathlib.Path('/var/lib/dpkg/status').read_text(encoding='utf-8').split('\n\n')
    with tempfile.TemporaryDirectory() as top:
        root = Root(top, '\n\n'.join(s for s in stanzas if 'profview' not in s.split('\n', 1)[0]))
        lib = 'lib/' + run('dpkg-architecture', '-qDEB_HOST_MULTIARCH').strip()
        packages = wanted(lib)
        root.dpkg('-i', *(one(folder, f'{name}_*.deb') for name in packages))
        for name, want in packages.items():
            root.has(name, want)
        version = root.version('profview')
        works(root.root / 'usr/bin/profview', ours, log, top, commit_of(version))
        installed.links(root.root / 'usr/bin/profview', root.root / 'usr', lib, top, root.root)
        root.remove(*packages)
        pathlib.Path(top, 'apt.conf').write_text('APT::Get::Simulate "true"; APT::Get::Assume-Yes "true";', encoding='utf-8')
        printed(APT, folder, top, r'(?s)Inst profview .*Inst profview-probes ', APT_CONFIG=f'{top}/apt.conf')
    print(f'{len(packages)} packages of {version}')
    return 0


def static(folder, ours, log):
    """Into a root without any other package."""
    if os.geteuid():
        print('only root can install packages')
        return 77
    with tempfile.TemporaryDirectory() as top:
        root = Root(top, '')
        root.dpkg('-i', one(folder, 'profview-static_*.deb'))
        root.has('profview-static', {f'lib/profview/{f}' for f in inside(folder)} | {'bin/profview', 'share/lintian/overrides/profview-static',
            'share/doc/profview-static/copyright', 'share/doc/profview-static/changelog.gz'} | {f'{p}.gz' for p in installed.PAGES}
            | {f for f in wanted('lib')['profview'] if 'completions' in f})
        works(root.root / 'usr/bin/profview', ours, log, top, commit_of(root.version('profview-static')))
        if 'INTERP' in run('readelf', '-lW', root.root / 'usr/lib/profview/profview'):
            print('the viewer is no static one: it was tried outside of its root')
        else:
            shutil.copy(log, root.root / 'log')
            said = run('chroot', root.root, '/usr/bin/profview', 'report', '--no-index', '--format', 'json', '/log')
            if [c['name'] for c in json.loads(said)['classes']] != [c['name'] for c in installed.report(ours, log, top)['classes']]:
                sys.exit('reports other classes where nothing else is')
            (root.root / 'log').unlink()
        root.remove('profview-static')
    return 0


def dotnet(folder, ours, log, dll):
    sdk = shutil.which('dotnet')
    if not sdk or not any(int(line.split('.')[0]) >= 10 for line in run(sdk, '--list-sdks').splitlines()):
        print('dotnet is not installed') # or one before 10, which takes no tool that is not its own
        return 77
    with tempfile.TemporaryDirectory() as top:
        env = {'HOME': top, 'DOTNET_CLI_HOME': top, 'DOTNET_CLI_TELEMETRY_OPTOUT': '1', 'DOTNET_NOLOGO': '1', 'NUGET_PACKAGES': f'{top}/packages'}
        tools = pathlib.Path(top, '.dotnet/tools')
        printed(TOOL, folder, top, 'successfully installed', **env)
        works(tools / 'profview', ours, log, top, commit_of(one(folder, 'profview-static_*.deb').name))
        run(sdk, 'tool', 'uninstall', '-g', 'profview', env={**os.environ, **env})
        left = [p for p in tools.rglob('*') if not p.is_dir()]
        if left:
            sys.exit(f'left behind: {left}')
        joins([sdk, dll], ours, cwd=where(folder, top), env={**os.environ, **env})
    return 0


def joins(program, ours, **how):
    """dnx fetches what attaches to a program, which ends with its input."""
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as target:
        pid = str(target.pid)
        try:
            target.stdout.readline()
            with subprocess.Popen(['bash', '-c', f'exec {DNX.replace("PID", pid)}'], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, **how) as viewer:
                end = time.monotonic() + LIMIT
                while viewer.poll() is None and time.monotonic() < end and subprocess.run(
                        [ours, 'ctl', pid, 'hello'], capture_output=True, check=False).returncode:
                    time.sleep(0.05)
                ask_runtime(pid)
                target.stdin.close()
                said = viewer.communicate(timeout=LIMIT)[0]
                if viewer.returncode or pid not in said or not re.search(r'lost +0 ', said):
                    sys.exit(f'{DNX}: {viewer.returncode}: {said}')
        finally:
            target.kill()


def ask_runtime(pid):
    """It answers in turn: whoever asked it to load something before has had an answer then."""
    port, = pathlib.Path(tempfile.gettempdir()).glob(f'dotnet-diagnostic-{pid}-*-socket')
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(LIMIT)
        s.connect(str(port))
        s.sendall(struct.pack('<14sHBBH', b'DOTNET_IPC_V1', 20, 4, 0, 0)) # what process it is
        s.recv(1)


def npm(folder, ours, log):
    if not shutil.which('npm'):
        print('npm is not installed')
        return 77
    package = one(folder, 'profview-*.tgz')
    with tempfile.TemporaryDirectory() as top:
        project = pathlib.Path(top, 'project')
        project.mkdir()
        (project / 'package.json').write_text('{"private": true}', encoding='utf-8')
        how = {'cwd': project, 'env': {**os.environ, 'HOME': top, 'npm_config_offline': 'true', 'npm_config_update_notifier': 'false'}}
        run('npm', 'install', '--no-audit', '--no-fund', package, **how)
        commit = commit_of(package.name)
        works(project / 'node_modules/.bin/profview', ours, log, top, commit)
        of_commit(run('npx', 'profview', '--version', **how), commit)
        run('npm', 'uninstall', 'profview', **how)
        left = [p for p in (project / 'node_modules').rglob('*') if not p.is_dir() and p.name != '.package-lock.json']
        if left:
            sys.exit(f'left behind: {left}')
        (where(folder, top) / 'server').symlink_to('/bin/ls')
        printed(NPX, folder, top, 'Hot methods', **how['env'])
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
    return globals()[what](*(pathlib.Path(a).resolve() for a in (folder, *args)))


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
