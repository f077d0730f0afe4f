#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes stand-ins for the libraries that became part of libc.so.6 with glibc 2.34.

usage: old_glibc.py FOLDER COMPILER...

What is linked with them asks for each function by the version, and of the library, that had it before: so it loads on
older systems too, and on newer ones, where those libraries are empty but still there. The loader before glibc 2.30
wants the symbol in the very library that is named for it. x86-64.
"""
import pathlib
import subprocess
import sys

STAND_INS = {
    'libpthread.so.0': {
        '2.2.5': 'pthread_attr_setstack pthread_attr_setstacksize pthread_create pthread_detach pthread_getattr_np '
                 'pthread_getspecific pthread_join pthread_key_create pthread_key_delete pthread_kill '
                 'pthread_mutex_timedlock pthread_mutex_trylock pthread_once pthread_rwlock_rdlock '
                 'pthread_rwlock_tryrdlock pthread_rwlock_unlock pthread_rwlock_wrlock pthread_setspecific '
                 'pthread_sigmask sem_destroy sem_init sem_post sem_timedwait sem_trywait sem_wait',
        '2.3.3': 'pthread_condattr_setclock pthread_timedjoin_np pthread_tryjoin_np',
        '2.12': 'pthread_getname_np pthread_setname_np',
    },
    'libdl.so.2': {'2.2.5': 'dladdr dlclose dlerror dlopen dlsym'},
    'librt.so.1': {'2.3.3': 'timer_create timer_delete timer_getoverrun timer_gettime timer_settime'},
}


def make(folder, name, versions, compiler):
    source, script = folder / f'{name}.c', folder / f'{name}.map'
    lines = [f'void {f}_(void) {{ }}\n__asm__(".symver {f}_,{f}@@GLIBC_{version}");\n'
             for version, functions in versions.items() for f in functions.split()]
    source.write_text(''.join(lines))
    script.write_text(''.join(f'GLIBC_{version} {{ }};\n' for version in versions))
    subprocess.run([*compiler, '-shared', '-fPIC', '-nostdlib', f'-Wl,-soname,{name}', f'-Wl,--version-script={script}',
                    '-o', folder / name, source], check=True)
    source.unlink()
    script.unlink()


def main(folder, *compiler):
    for name, versions in STAND_INS.items():
        make(pathlib.Path(folder), name, versions, compiler)


if __name__ == '__main__':
    main(*sys.argv[1:])
