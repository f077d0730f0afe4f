#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The one file runs where nothing is, and records where its probes have never been.

usage: one_file.py ONE-FILE PROFVIEW LOG [twice | ROOT...]

PROFVIEW is the dynamic build, whose answers are the right ones. Roots are made of what this machine has: with nothing
but the file in it, with musl (as Alpine has it), with the libraries in /usr/lib64 (as Fedora has them). ROOT is one by
debootstrap, e.g. of Ubuntu 16.04: what perl does there is recorded, what Mono does where it is installed there, and what
this machine's .NET does, which is copied there. `twice` builds the file once more, in another folder.
Root runs it: else it ends with 77.
"""
import contextlib
import filecmp
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / 'real'))
from verdict import Verdict    # noqa: E402  pylint: disable=wrong-import-position

SKIP, LIMIT = 77, 60
NEWEST = 17    # of glibc 2.x, that the probes may ask for
SOURCE = '''#include <time.h>
__attribute__((noinline)) static unsigned burn(unsigned n)
{
	for (unsigned i = 0; i < 100000; i++)
		n = n * 31 + i;
	return n;
}
int main(void)
{
	unsigned n = 1;
	for (clock_t end = clock() + CLOCKS_PER_SEC / 2; clock() < end;)
		n = burn(n);
	return n == 0 ? 1 : 7;
}
'''
MANAGED = '''using System;
using System.Runtime.CompilerServices;
static class P {
	[MethodImpl (MethodImplOptions.NoInlining)]
	static uint Burn (uint n)
	{
		for (uint i = 0; i < 100000; i++)
			n = n * 31 + i;
		return n;
	}
	static int Main ()
	{
		uint n = 1;
		for (int begun = Environment.TickCount; Environment.TickCount - begun < 700;)
			n = Burn (n);
		return n == 0 ? 1 : 7;
	}
}
'''
PERL = 'my $n = 0; while (times() < 0.5) { $n += $_ for 1 .. 9999 } exit 7'
TERMINALS = ('xterm-256color', 'tmux-256color', 'screen', 'linux', 'alacritty', 'foot', 'xterm-kitty')
# In mounts of its own, which end with it.
ENTER = 'mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev" && exec chroot "$0" "$@"'


def inside(root, *words, **more):
    return ['unshare', '-m', '--propagation', 'private', 'env', '-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/root',
            *(f'{k}={v}' for k, v in more.items()), 'sh', '-c', ENTER, str(root), *words]


def ran(words):
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT, check=False)


def report(v, name, root, log):
    """What ran: code of the program, and the report of the log."""
    p = ran(inside(root, '/profview', 'report', '--format', 'json', log))
    v.equal(f'{name}: report', (p.returncode, p.stderr), (0, ''))
    return json.loads(p.stdout or '{}')


def recorded(v, name, root, words, **more):
    p = ran(inside(root, '/profview', 'run', '--record', '/log.mlpd', '--', *words, **more))
    v.equal(f'{name}: recorded', (p.returncode, p.stderr if p.returncode != 7 else ''), (7, ''))
    text = json.dumps(report(v, name, root, '/log.mlpd'))
    (root / 'log.mlpd').unlink(missing_ok=True)
    samples = re.search(r'"samples", "state": "complete"[^}]*?"(\d+) samples', text) or re.search(r'(\d+) samples', text)
    v.at_least(f'{name}: samples', int(samples[1]) if samples else None, 5)
    return text


@contextlib.contextmanager
def root_of(one, *folders):
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for folder in ('proc', 'dev', 'tmp', 'root', *folders):
            (root / folder).mkdir(parents=True)
        shutil.copy(one, root / 'profview')
        yield root


def starts(root, terminal):
    """Whether the screen comes up on that terminal, and `q` leaves it."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execvp('unshare', inside(root, '/profview', '/log', TERM=terminal))
    seen, end, asked = b'', time.monotonic() + LIMIT, False
    while time.monotonic() < end:
        try:
            if select.select([fd], [], [], 1)[0]:
                seen += os.read(fd, 65536)
        except OSError:    # it has ended
            break
        if not asked and b'Home' in seen:
            asked = os.write(fd, b'q') > 0
    else:
        os.kill(pid, signal.SIGKILL)
    os.close(fd)
    return asked and os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def alone(v, one, profview, log):
    with root_of(one) as root:
        shutil.copy(log, root / 'log')
        right = ran([profview, 'report', '--format', 'json', log])
        got = ran(inside(root, '/profview', 'report', '--format', 'json', '/log'))
        v.equal('alone: report', got.returncode, 0)
        v.true('alone: the same figures', [line for line in got.stdout.splitlines() if '"source"' not in line and '/log' not in line]
               == [line for line in right.stdout.splitlines() if '"source"' not in line and str(log) not in line])
        frame = ran(inside(root, '/profview', '--dump', '--size', '100x30', '/log')).stdout
        v.true('alone: a frame in UTF-8', '█' in frame)
        for terminal in TERMINALS:
            v.true(f'alone: on {terminal}', starts(root, terminal))


def with_musl(v, one, compiler):
    with root_of(one, 'lib') as root:
        loader = pathlib.Path('/lib/ld-musl-x86_64.so.1')
        (root / 'p.c').write_text(SOURCE)
        subprocess.run([compiler, '-o', root / 'p', root / 'p.c'], check=True)
        shutil.copy(loader.resolve(), root / loader.relative_to('/'))
        p = ran(inside(root, '/profview', 'run', '--record', '/log.mlpd', '--', '/p'))
        v.equal('musl: not started', p.returncode, 3)
        v.true('musl: the reason', 'is for musl, and the probes were built for glibc' in p.stderr, p.stderr)


def with_lib64(v, one):
    with root_of(one, 'usr/lib64', 'etc') as root:
        (root / 'lib64').symlink_to('usr/lib64')
        (root / 'p.c').write_text(SOURCE)
        subprocess.run(['cc', '-g', '-O1', '-o', root / 'p', root / 'p.c'], check=True)
        libraries = ran(['ldd', root / 'p']).stdout
        needed = ['/lib/x86_64-linux-gnu/' + name for name in ('libpthread.so.0', 'libdl.so.2', 'librt.so.1')]
        for path in {*re.findall(r'/\S+', libraries), *needed}:
            shutil.copy(path, root / 'usr/lib64' / pathlib.Path(path).name)
        (root / 'etc/ld.so.conf').write_text('/usr/lib64\n')
        subprocess.run(['ldconfig', '-r', root], check=True)
        v.true('lib64: names', '"burn' in recorded(v, 'lib64', root, ['/p']))
        names = sorted(p.name for p in (root / 'root/.cache/profview/probes').glob('*/*'))
        v.true('lib64: the probes are in the cache', 'libprofview-native.so' in names, names)


def probes(v, one):
    """Each version of glibc that is asked for; the files come out of the program itself."""
    with root_of(one) as root:
        shutil.copy(sys.executable, root / 'p')    # of what it runs nothing is needed: it is looked at, and refused or not
        ran(inside(root, '/profview', 'run', '--record', '/log.mlpd', '--', '/p'))
        libraries = sorted(root.glob('root/.cache/profview/probes/*/*.so'))
        v.at_least('probes', len(libraries), 2)
        for library in libraries:
            text = ran(['objdump', '-T', library]).stdout
            v.between(f'{library.name}: glibc', max(map(int, re.findall(r'GLIBC_2\.(\d+)', text))), 2, NEWEST)


def clean(root):
    for path in (root / name for name in ('profview', 'tree', 'burn.exe', 'burn.runtimeconfig.json', 'dotnet', 'root/.cache/profview')):
        shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)


def of_mono(v, root):
    if not (root / 'usr/bin/mono').exists():
        print(f'{root.name}: no Mono there')
        return
    v.true(f'{root.name}: a method of Mono', 'P.Burn' in recorded(v, f'{root.name}, Mono', root, ['/usr/bin/mono', '/burn.exe']))


def of_dotnet(v, root):
    """A runtime without the SDK; what Mono's compiler made runs under it, too."""
    here = pathlib.Path(shutil.which('dotnet') or '/').resolve().parent
    versions = sorted((here / 'shared/Microsoft.NETCore.App').glob('*'), key=lambda p: [int(n) for n in re.findall(r'\d+', p.name)])
    if not versions:
        print(f'{root.name}: no .NET here')
        return
    for name in ('host', versions[-1].relative_to(here)):
        shutil.copytree(here / name, root / 'dotnet' / name)
    shutil.copy(here / 'dotnet', root / 'dotnet')
    (root / 'burn.runtimeconfig.json').write_text(json.dumps(
        {'runtimeOptions': {'framework': {'name': 'Microsoft.NETCore.App', 'version': versions[-1].name}}}))
    v.true(f'{root.name}: a method of .NET', 'P.Burn' in recorded(
        v, f'{root.name}, .NET', root, ['/dotnet/dotnet', '/burn.exe'], DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1))


def of_release(v, one, root):
    clean(root)
    shutil.copy(one, root / 'profview')
    name = root.name
    recorded(v, name, root, ['/usr/bin/perl', '-e', PERL])
    v.true(f'{name}: as a tree', ran(inside(root, '/profview', 'run', '--record', '/tree/', '--', 'sh', '-c', 'ls / | cat; exit 7')).returncode == 7)
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, 'burn.cs')
        source.write_text(MANAGED)
        subprocess.run(['mcs', '-optimize+', f'-out:{root}/burn.exe', source], check=True)
    of_mono(v, root)
    of_dotnet(v, root)
    clean(root)


def twice(v, one):
    source = pathlib.Path(__file__).resolve().parent.parent.parent
    with tempfile.TemporaryDirectory() as name:
        copy = pathlib.Path(name) / 'another'
        subprocess.run(['git', '-C', source, 'clone', '-q', source, copy], check=True)
        sources = source / 'build-static/sources'
        shutil.copytree(sources, copy / 'build-static/sources')    # not fetched twice
        subprocess.run([copy / 'bootstrap.sh', 'static'], check=True)
        v.true('twice the same bytes', filecmp.cmp(one, copy / 'build-static/profview', shallow=False))


def main(one, profview, log, *words):
    if os.geteuid() != 0:
        print('only root can change its root')
        return SKIP
    v = Verdict('one file')
    one = pathlib.Path(one).resolve()
    if words == ('twice',):
        twice(v, one)
    elif words:
        for root in words:
            of_release(v, one, pathlib.Path(root))
    else:
        alone(v, one, str(pathlib.Path(profview).resolve()), log)
        with_musl(v, one, 'musl-gcc')
        with_lib64(v, one)
        probes(v, one)
    v.close()
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
