#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is installed is where it is looked for, nothing else is, and it works from there: the viewer finds
its probe, a C program the library.

usage: test_installed.py MESON BUILD
"""
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

PROGRAM = r'''
#include <profview_probe.h>
int main(void)
{
	if (profview_start("output=app.mlpd"))
		return 1;
	profview_alloc(profview_class("Tile"), "", 16);
	profview_stop();
	return 0;
}
'''
# Below the prefix; {lib} is its folder of libraries. Those that another package must be there for.
WANTED = {'bin/profview', 'include/profview_probe.h', '{lib}/profview/libprofview-native.so',
          '{lib}/profview/libprofview-coreclr.so', '{lib}/profview/profview-outside', '{lib}/pkgconfig/profview-probe.pc',
          'share/bash-completion/completions/profview', 'share/zsh/site-functions/_profview',
          'share/fish/vendor_completions.d/profview.fish'}
# What the loader of each kind of program finds: platforms.py has the names.
PLATFORMS = {f'{{lib}}/profview/platforms/{name}/libprofview-native.so' for name in
             (('haswell', 'i386', 'i486', 'i586', 'i686', 'x86_64', 'xeon_phi') if platform.machine() == 'x86_64'
              else ('aarch64', 'v7l', 'v8l'))}
TOP = pathlib.Path(__file__).resolve().parents[2]
# Every page that the source has.
PAGES = {f'share/man/man{p.stem[-1]}/{p.stem}' for p in TOP.glob('*/*.scd')}
MONO = {'{lib}/profview/libmono-profiler-profview.so', '{lib}/profview/profview-attach.exe'}


def run(command, folder, **env):
    done = subprocess.run(command, cwd=folder, env={**os.environ, **env}, capture_output=True,
                          text=True, check=False)
    if done.returncode:
        sys.exit(f'{command}: {done.returncode}\n{done.stdout[-500:]}{done.stderr[-2000:]}')
    return done.stdout


def report(profview, log, folder):
    return json.loads(run([profview, 'report', '--no-index', '--format', 'json', log], folder))


def left_out():
    """What of the files above is in no Debian package."""
    lists = [line.removeprefix('usr/').replace('lib/*', '{lib}') for path in TOP.glob('.packaging/debian/*.install')
             for line in path.read_text(encoding='utf-8').split()]
    return sorted(f for f in WANTED | PLATFORMS | PAGES | MONO if not any(f == x or f.startswith(x + '/') for x in lists))


def links(profview, prefix, lib, top, root):
    """A program is compiled and linked by pkg-config, and what it tells is recorded."""
    pathlib.Path(top, 'app.c').write_text(PROGRAM, encoding='utf-8')
    flags = run(['pkg-config', '--cflags', '--libs', 'profview-probe'], top,
                PKG_CONFIG_PATH=str(prefix / lib / 'pkgconfig'), PKG_CONFIG_SYSROOT_DIR=str(root)).split()
    run(['cc', '-o', 'app', 'app.c', *flags], top)
    run(['./app'], top, LD_LIBRARY_PATH=str(prefix / lib / 'profview'))
    names = [c['name'] for c in report(profview, 'app.mlpd', top)['classes']]
    if names != ['Tile']:
        sys.exit(f'app.mlpd has classes {names}')


def main(meson, build):
    with tempfile.TemporaryDirectory() as top:
        run([meson, 'install', '-C', build, '--no-rebuild'], top, DESTDIR=f'{top}/to')
        prefix = next(pathlib.Path(top, 'to').rglob('bin/profview')).parents[1]
        lib = next(prefix.rglob('libprofview-native.so')).parents[1].relative_to(prefix).as_posix()
        files = {p.relative_to(prefix).as_posix().replace(lib + '/', '{lib}/', 1) for p in prefix.rglob('*') if p.is_file()}
        wanted = WANTED | PLATFORMS | (PAGES if shutil.which('scdoc') else set()) | {f for f in MONO if f in files}
        if files != wanted:
            sys.exit(f'not installed: {wanted - files}; installed, too: {files - wanted}')
        if left_out():
            sys.exit(f'in no Debian package: {left_out()}')
        profview = prefix / 'bin/profview'
        run([profview, 'run', '--alloc=512k', '--record', 'run.mlpd', '--', '/bin/ls'], top)
        if not report(profview, 'run.mlpd', top)['coverage']:
            sys.exit('run.mlpd says nothing')
        links(profview, prefix, lib, top, f'{top}/to')
    print('installed, found and linked')


if __name__ == '__main__':
    main(*sys.argv[1:])
