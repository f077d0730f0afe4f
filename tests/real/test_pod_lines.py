#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Every line that profview-containers(7) prints is tried: docker, kubectl and systemd by namespaces, with the capabilities
that they give.

usage: test_pod_lines.py PROFVIEW BUILD/tests/real BUILD/probe PAGE [dotnet]

ROWS says of each line what it does. Images are the files that are here, /prof stands at /mnt, a network is in none.
A line without a row fails. Without `dotnet` those of .NET are left out. Needs root (77).
"""
import contextlib
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / 'soak'))
import target
from pods import BLOCKS, THROWN, begun, figures, report, shown
from test_clr_join import can, child_of
from test_printed import blocks
from verdict import Verdict

# What Docker leaves to a container's root.
KEPT = ('chown,dac_override,fowner,fsetid,kill,setgid,setuid,setpcap,net_bind_service,net_raw,sys_chroot,mknod,'
        'audit_write,setfcap').split(',')
INSIDE = ('mount --bind "$1" /mnt && mount --bind "$2" /srv && mount -t tmpfs none /tmp && mount -t proc none /proc && '
          'cd /srv && shift 2 && exec "$@"')


class Place:
    def __init__(self, v, profview, build, probes, folder):
        self.v, self.profview, self.probes = v, os.path.abspath(profview), pathlib.Path(probes).resolve()
        self.folder = pathlib.Path(folder)
        self.folder.chmod(0o755)
        self.shared, self.app = self.folder / 'prof', self.folder / 'app'
        self.app.mkdir()
        build = pathlib.Path(build)
        shutil.copy(build / 'counted.exe', self.app / 'app.exe')
        shutil.copy(build / 'pods', self.app / 'server')
        if (build / 'counted_clr.dll').exists():
            shutil.copy(build / 'counted_clr.dll', self.app / 'app.dll')
            shutil.copy(build / 'counted_clr.runtimeconfig.json', self.app / 'app.runtimeconfig.json')
        self.fresh()

    def fresh(self):
        shutil.rmtree(self.shared, ignore_errors=True)
        self.shared.mkdir()
        shutil.copy(self.probes / 'libprofview-native.so', self.shared)

    # -- in a container

    def limited(self, more=()):
        caps = ','.join(f'+{c}' for c in [*KEPT, *map(str.lower, more)])
        return ['setpriv', '--bounding-set', f'-all,{caps}', '--inh-caps=-all']

    def words(self, command):
        """A program of an image: ours; what counts gets its pauses."""
        words = [{'profview': self.profview}.get(w, w).replace('/prof/', '/mnt/') for w in command]
        if 'profview' in command and {'attach', 'listen'} & set(words):
            words[2:2] = ['--record', '/mnt/record']
        return words + (['pause', 'throws', 'pause'] if words[-1] in ('app.dll', 'app.exe') else [])

    @contextlib.contextmanager
    def docker(self, line, waits=False):
        """docker run, of an image `shop`: the program, in its first pause, and its number here."""
        words, env, i = shlex.split(line), ['TMPDIR=/tmp', 'HOME=/tmp'], 2
        while words[i].startswith('-'):
            if words[i] == '-e':
                env.append(words[i + 1].replace('/prof', '/mnt'))
            elif words[i] == '-v':
                self.v.equal(f'{line}: the folder', words[i + 1], '/var/tmp/prof:/prof')
            i += 2
        self.v.equal(f'{line}: the image', words[i], 'shop')
        program = self.words(words[i + 1:])
        with target.Program(['unshare', '-mpfn', '--kill-child', 'sh', '-c', INSIDE, 'sh', self.shared, self.app,
                             *self.limited(), 'env', *env, *program], self.folder) as p:
            pid = child_of(p.process.pid)
            begun(pid, program[0])
            if not waits:
                p.wait_phase(1)
            yield p, pid

    def shop(self):
        """A .NET program in a container of its own, that shares nothing."""
        return self.docker('docker run -v /var/tmp/prof:/prof shop dotnet app.dll')

    def enter(self, pid, *parts):
        return ['nsenter', '-t', str(pid), *parts]

    def beside(self, pid, more):
        """A container with the process numbers of that one, and files of its own."""
        return [*self.enter(pid, '-p'), 'unshare', '-mn', 'sh', '-c', INSIDE, 'sh', self.shared, self.app,
                *self.limited(more)]

    def here(self, command, pid=0, keep=True):
        """A command line of this host, by a shell; what asks a service for a number has it."""
        command = re.sub(r'\$\(.*\)', str(pid), command).replace('/var/tmp/prof', str(self.shared))
        if keep:
            command = re.sub('^profview (attach|listen)', rf'profview \1 --record {self.shared}/record', command)
        return ['bash', '-c', 'exec ' + command.replace('profview', self.profview, 1)]

    # -- what is seen

    def watched(self, line, program, viewer, wanted, name='record'):
        """The viewer joins, sees what the program does, and is left; its record, and what it prints."""
        record = self.shared / name
        with subprocess.Popen(list(map(str, viewer)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True) as p:
            def see(what):
                if p.poll() is not None:
                    raise target.TimedOut(f'{line}: {p.stdout.read()}')
                return what(report(self.profview, record))
            try:
                target.wait_for(f'{line}: it is joined', lambda: see(lambda r: records(r, wanted)))
                program.wait_phase(1)
                program.go()
                program.wait_phase(2)
                shown(self.profview, record, wanted)
                os.kill(self.viewer(p.pid), signal.SIGINT)
                said = p.communicate(timeout=target.DEADLINE)[0]
            finally:
                p.kill()
        self.v.true(f'{line}: its frame', '■' in said or '● LIVE' in said, said)
        program.go()
        program.wait()

    def viewer(self, at):
        """Below what took it to its place."""
        while not pathlib.Path(f'/proc/{at}/cmdline').read_bytes().startswith(self.profview.encode()):
            at = child_of(at)
        return at


def records(r, wanted):
    """A stream whose session is open has told counters, a probe what was there before."""
    if r.get('source', {}).get('format') != 'mlpd':
        return any(c.get('samples') for c in r.get('counters') or [])
    return r['events'].get('assembly.load') if wanted == THROWN else r['events']


# ---- the lines; a pair is a container's and the viewer's

def on_host(s, line):
    with s.shop() as (program, pid):
        s.watched(line, program, s.here(line, pid), THROWN)


def listed(s, line, before=()):
    with s.shop() as (_, pid):
        said = subprocess.run([*before, *s.here(line)], capture_output=True, text=True, check=False, timeout=target.DEADLINE)
        s.v.true(f'{line}: it is listed', f'{pid} (1 inside)' in said.stdout, said)


def in_sidecar(s, line):
    """docker run --pid container:shop, kubectl exec and kubectl debug: by the numbers of the other container."""
    more = {'docker': re.findall(r'--cap-add (\w+)', line), 'kubectl': ['SYS_PTRACE']}[line.split()[0]]
    command = s.words(line.split(' -- ' if ' -- ' in line else ' tools ')[1].split())
    with s.shop() as (program, pid):
        s.watched(line, program, [*s.beside(pid, more), *command], THROWN)


def on_node(s, line):
    listed(s, line.split(' -- ')[1], ['unshare', '-m', 'sh', '-c', 'mount -t tmpfs none /tmp && exec "$@"', 'sh'])


def in_container(s, line):
    inner = line.split(' shop ')[1]
    with s.shop() as (_, pid):
        program = target.Program([*s.enter(pid, '-m', '-p', '-n'), *s.limited(), 'sh', '-c', 'cd /srv && exec "$@"', 'sh',
                                  *s.words(inner.split())], s.folder)
        with program:
            for phase in (1, 2):
                program.wait_phase(phase)
                program.go()
            program.wait()
    recorded(s, line)


def recorded(s, line):
    said = subprocess.run([s.profview, 'report', '--no-index', s.shared / 'app.mlpd'], capture_output=True, text=True, check=False)
    s.v.true(f'{line}: its log', "ended: the probe's farewell" in said.stdout, said)


def on_service(s, line):
    private = 'mount --bind "$1" /mnt && mount --bind "$2" /srv && mount -t tmpfs none /tmp && cd /srv && shift 2 && exec "$@"'
    command = [w.replace(str(s.shared), '/mnt') for w in s.here(line)]
    with target.Program(['unshare', '-m', 'sh', '-c', private, 'sh', s.shared, s.app, *command], s.folder) as program:
        for phase in (1, 2):
            program.wait_phase(phase)
            program.go()
        program.wait()
    recorded(s, line)


def by_socket(s, first, line):
    with s.docker(first) as (program, _):
        s.watched(line, program, s.here(line), THROWN)


def by_call(s, first, line):
    with s.docker(first, waits=True) as (program, _):
        s.watched(line, program, s.here(line), THROWN)


def followed(s, first, line):
    """To its end; what comes before its beginning is waited for."""
    with subprocess.Popen(s.here(line), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as viewer:
        with s.docker(first) as (program, _):
            for phase in (1, 2):
                program.wait_phase(phase)
                program.go()
            program.wait()
        said = viewer.communicate(timeout=target.DEADLINE)[0]
    s.v.equal(f'{line}: exit code', viewer.returncode, 0)
    s.v.true(f'{line}: its frame', 'Hot methods' in said and 'damage' not in said, said)
    s.v.equal(f'{line}: the figures', figures(report(s.profview, s.shared / 'app.mlpd')), THROWN)


def spoken_to(s, first, line, second):
    with s.docker(first) as (program, _):
        said = subprocess.run(s.here(line), capture_output=True, text=True, check=False, timeout=target.DEADLINE)
        s.v.true(f'{line}: its answer', said.stdout.startswith('ok pid=1 '), said)
        s.watched(second, program, s.here(second, keep=False), {'blocks': BLOCKS}, 'app.mlpd')  # a file is followed


def dotnet(how):
    how.dotnet = True
    return how


SOCKET = 'docker run -v /var/tmp/prof:/prof -e TMPDIR=/prof shop dotnet app.dll'
CALLS = 'docker run -v /var/tmp/prof:/prof -e DOTNET_DiagnosticPorts=/prof/calls shop dotnet app.dll'
MONO = 'docker run -v /var/tmp/prof:/prof shop mono --profile=log:calls,alloc,exception,output=/prof/app.mlpd app.exe'
NATIVE = ('docker run -v /var/tmp/prof:/prof -e LD_PRELOAD=/prof/libprofview-native.so -e '
          'PROFVIEW_OPTIONS=alloc,control=/prof/ctl,output=/prof/app.mlpd shop ./server')
ROWS = {
    ('profview ps',): dotnet(listed),
    ("profview attach $(docker inspect -f '{{.State.Pid}}' shop)",): dotnet(on_host),
    ('docker run --rm -it --pid container:shop --cap-add SYS_PTRACE tools profview attach 1',): dotnet(in_sidecar),
    (SOCKET, 'profview attach /var/tmp/prof/dotnet-diagnostic-1-*-socket'): dotnet(by_socket),
    (CALLS, 'profview listen /var/tmp/prof/calls'): dotnet(by_call),
    (MONO, 'profview --follow /var/tmp/prof/app.mlpd'): followed,
    (NATIVE, 'profview ctl /var/tmp/prof/ctl stats', 'profview attach /var/tmp/prof/ctl'): spoken_to,
    ('docker exec -it shop profview run --record /prof/app.mlpd -- ./server',): dotnet(in_container),
    ('kubectl exec -it shop -c tools -- profview attach dotnet',): dotnet(in_sidecar),
    ('kubectl debug -it shop --image tools --target shop --profile general -- profview attach 1',): dotnet(in_sidecar),
    ('kubectl debug node/worker -it --image tools --profile sysadmin -- profview ps',): dotnet(on_node),
    ('profview attach $(systemctl show --property MainPID --value shop)',): dotnet(on_host),
    ('profview run --record /var/tmp/prof/app.mlpd -- ./server',): on_service,
}


def main(profview, build, probes, page, with_dotnet=''):
    if os.geteuid() != 0 or not can('unshare', '-mpfn', 'true'):
        print('only root can make these containers')
        sys.exit(target.SKIP)
    v = Verdict('pod lines')
    printed = [line for line in blocks(pathlib.Path(page).read_text(encoding='utf-8').replace('\\\\', '\\'))
               if re.match('(profview|docker|kubectl) ', line)]
    v.equal('the lines of the page', sorted(printed), sorted(line for row in ROWS for line in row))
    with target.scratch() as folder:
        s = Place(v, profview, build, probes, folder)
        for lines, how in ROWS.items():
            if with_dotnet or not getattr(how, 'dotnet', False):
                s.fresh()
                how(s, *lines)
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])
