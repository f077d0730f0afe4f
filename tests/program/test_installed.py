#!/usr/bin/env python3
"""What is installed works from where it is: the viewer finds its probe, a C program the library.

usage: test_installed.py MESON BUILD
"""
import json
import os
import pathlib
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
WANTED = ('bin/profview', 'include/profview_probe.h', 'libprofview-native.so', 'profview-probe.pc',
          'bash-completion/completions/profview', 'zsh/site-functions/_profview',
          'fish/vendor_completions.d/profview.fish')


def run(command, folder, **env):
    done = subprocess.run(command, cwd=folder, env={**os.environ, **env}, capture_output=True,
                          text=True, check=False)
    if done.returncode:
        sys.exit(f'{command}: {done.returncode}\n{done.stdout[-500:]}{done.stderr[-2000:]}')
    return done.stdout


def report(profview, log, folder):
    return json.loads(run([profview, 'report', '--no-index', '--format', 'json', log], folder))


def main(meson, build):
    with tempfile.TemporaryDirectory() as top:
        run([meson, 'install', '-C', build, '--no-rebuild'], top, DESTDIR=f'{top}/to')
        files = [p for p in pathlib.Path(top, 'to').rglob('*') if p.is_file()]
        found = {w: next((p for p in files if p.as_posix().endswith('/' + w)), None) for w in WANTED}
        missing = [w for w, p in found.items() if not p]
        if shutil.which('scdoc'):
            missing += [page for page in ('profview.1', 'profview.conf.5', 'profview-probe.7')
                        if not any(p.name == page for p in files)]
        if missing:
            sys.exit(f'not installed: {missing}')
        profview = found['bin/profview']
        run([profview, 'run', '--alloc=512k', '--record', 'run.mlpd', '--', '/bin/ls'], top)
        if not report(profview, 'run.mlpd', top)['coverage']:
            sys.exit('run.mlpd says nothing')
        pathlib.Path(top, 'app.c').write_text(PROGRAM, encoding='utf-8')
        flags = run(['pkg-config', '--cflags', '--libs', 'profview-probe'], top,
                    PKG_CONFIG_PATH=str(found['profview-probe.pc'].parent),
                    PKG_CONFIG_SYSROOT_DIR=f'{top}/to').split()
        run(['cc', '-o', 'app', 'app.c', *flags], top)
        run(['./app'], top, LD_LIBRARY_PATH=str(found['libprofview-native.so'].parent))
        names = [c['name'] for c in report(profview, 'app.mlpd', top)['classes']]
        if names != ['Tile']:
            sys.exit(f'app.mlpd has classes {names}')
    print('installed, found and linked')


if __name__ == '__main__':
    main(*sys.argv[1:])
