#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes what ./bootstrap.sh package needs besides the compiler.

usage: make.py version SOURCE           the version of the packages, which says the commit
       make.py debian SOURCE FOLDER     the sources of the Debian packages, with debian/ in its place
       make.py portable SOURCE VIEWER OUT   packages that need no other: .deb, NuGet, npm
VIEWER is a program that has all it needs inside, or a folder with `profview` and what it needs.
SOURCE is a checkout, or what `git archive` or `meson dist` wrote.
"""
import functools
import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

SUMMARY = 'A profiler that can be watched in a terminal'
# By e_machine (elf.h): what Debian, .NET and npm call it.
MACHINES = {62: ('amd64', 'linux-x64', 'x64'), 183: ('arm64', 'linux-arm64', 'arm64')}
COMPLETIONS = {'bash': 'bash-completion/completions/profview', 'zsh': 'zsh/vendor-completions/_profview',
               'fish': 'fish/vendor_completions.d/profview.fish'}
CONTROL = '''Package: profview-static
Version: {version}
Architecture: {arch}
Maintainer: {who}
Installed-Size: {size}
Section: devel
Priority: optional
Provides: profview, profview-probes
Conflicts: profview, profview-probes
Replaces: profview, profview-probes
Description: profiler that can be watched in a terminal, for any release
 profview shows what a Mono, .NET or native program does while it runs. This
 package depends on no other: the program and the modules that it loads into
 others have all that they need inside.
'''
OVERRIDES = '''# On purpose: one file for every release.
profview-static: embedded-library *
'''


def git(source, *words):
    return subprocess.run(['git', '-C', source, *words], capture_output=True, text=True, check=True).stdout


def has_git(source):
    """Whether it answers here: it refuses where the folder is another user's."""
    return bool((source / '.git').exists() and shutil.which('git')
                and subprocess.run(['git', '-C', source, 'rev-parse', 'HEAD'], capture_output=True, check=False).returncode == 0)


class Commit:
    def __init__(self, source):
        said = (source / '.packaging/commit').read_text(encoding='utf-8')
        if said.startswith('$'): # no archive
            said = git(source, 'log', '-1', '--format=%ct %h %an <%ae>', '--abbrev=9') if has_git(source) else ''
        self.seconds, self.hash, self.who = said.split(maxsplit=2) if said else (time.time(), 'unknown', 'nobody <nobody@localhost>')
        self.seconds, self.who = int(self.seconds), self.who.strip()
        if os.environ.get('DEBEMAIL'): # as Debian's tools have it
            self.who = f'{os.environ.get("DEBFULLNAME", "profview")} <{os.environ["DEBEMAIL"]}>'
        self.dirty = has_git(source) and git(source, 'status', '--porcelain', '--untracked-files=no') != ''

    def version(self, source):
        """0.1.0+20261128.1724.g012345678: in the order of commits for dpkg, build metadata elsewhere."""
        text = (source / 'meson.build').read_text(encoding='utf-8')
        day = time.strftime('%Y%m%d.%H%M', time.gmtime(self.seconds))
        return f'{re.search("version: .([0-9.]+)", text)[1]}+{day}.g{self.hash}{".dirty" if self.dirty else ""}'

    def changelog(self, package, version):
        day = time.strftime('%a, %d %b %Y %H:%M:%S +0000', time.gmtime(self.seconds))
        return f'{package} ({version}) unstable; urgency=medium\n\n  * Built from commit {self.hash}.\n\n -- {self.who}  {day}\n'


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
    (folder / 'debian/changelog').write_text(commit.changelog('profview', version + '-1'), encoding='utf-8')
    (folder / 'tui/app/commit').write_text(commit.hash + ('-dirty' if commit.dirty else '') + '\n', encoding='utf-8')


class Portable:
    """Packages of a viewer that needs nothing else."""

    def __init__(self, source, viewer, out):
        self.source, self.out, self.commit = source, out, Commit(source)
        self.version = self.commit.version(source)
        files = [viewer] if viewer.is_file() else [p for p in sorted(viewer.rglob('*')) if p.is_file()]
        self.files = {'profview' if viewer.is_file() else p.relative_to(viewer).as_posix(): p for p in files}
        with open(self.files['profview'], 'rb') as f:
            self.arch = MACHINES[struct.unpack('<18xH', f.read(20))[0]]
        self.is_of_commit()

    def is_of_commit(self):
        try:
            said = subprocess.run([self.files['profview'], '--version'], capture_output=True, text=True, check=False).stdout
        except OSError: # for another processor
            return
        if self.commit.hash == 'unknown':
            return
        if f'({self.commit.hash}' not in said or ('-dirty)' in said) != self.commit.dirty:
            sys.exit(f'{self.files["profview"]} is {said.strip()}, the tree {self.version}: make it of this tree')

    def mode(self, name):
        return 0o755 if os.access(self.files[name], os.X_OK) and not name.endswith('.so') else 0o644

    def deb(self):
        with tempfile.TemporaryDirectory() as top:
            root = pathlib.Path(top)
            def put(name, data, mode=0o644):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_bytes(data)
                (root / name).chmod(mode)
            for name, path in self.files.items():
                put(f'usr/lib/profview/{name}', path.read_bytes(), self.mode(name))
            (root / 'usr/bin').mkdir()
            (root / 'usr/bin/profview').symlink_to('../lib/profview/profview')
            for page in sorted(self.source.glob('*/*.scd')) if shutil.which('scdoc') else ():
                done = subprocess.run(['scdoc'], stdin=page.open('rb'), capture_output=True, check=True)
                put(f'usr/share/man/man{page.stem[-1]}/{page.stem}.gz', gzip.compress(done.stdout, 9, mtime=0))
            for shell, place in COMPLETIONS.items():
                make = [sys.executable, self.source / 'tui/completions.py', self.source / 'tui/options.def', shell]
                put(f'usr/share/{place}', subprocess.run(make, capture_output=True, check=True).stdout)
            put('usr/share/doc/profview-static/copyright', copyright_of(self.source).encode())
            put('usr/share/doc/profview-static/changelog.gz', gzip.compress(self.commit.changelog('profview-static', self.version).encode(), 9, mtime=0))
            put('usr/share/lintian/overrides/profview-static', OVERRIDES.encode())
            size = sum(p.lstat().st_size for p in root.rglob('*')) // 1024 + 1
            put('DEBIAN/control', CONTROL.format(version=self.version, arch=self.arch[0], who=self.commit.who, size=size).encode())
            put('DEBIAN/md5sums', ''.join(f'{hashlib.md5(p.read_bytes()).hexdigest()}  {p.relative_to(root)}\n' for p in sorted(root.rglob('usr/**/*'))
                                          if p.is_file() and not p.is_symlink()).encode())
            for folder in [root, *(p for p in root.rglob('*') if p.is_dir())]:
                folder.chmod(0o755)
            subprocess.run(['dpkg-deb', '--root-owner-group', '-Zxz', '--build', root, self.out / f'profview-static_{self.version}_{self.arch[0]}.deb'],
                           env={**os.environ, 'SOURCE_DATE_EPOCH': str(self.commit.seconds)}, stdout=subprocess.DEVNULL, check=True)

    def nuget(self):
        """A tool that is no program of .NET: one package says for which machines there are others (SDK 10 and later)."""
        rid = self.arch[1]
        # NuGet holds versions that differ behind the + for one: the fourth number is the commit's minute.
        short, _, meta = self.version.partition('+')
        version = f'{short}.{self.commit.seconds // 60}'
        settings = '<?xml version="1.0" encoding="utf-8"?>\n<DotNetCliTool Version="2"><Commands><Command Name="profview"{} /></Commands>{}</DotNetCliTool>\n'
        pack = functools.partial(self.nupkg, version, meta)
        pack('profview', 'DotnetTool', [('tools/any/any/DotnetToolSettings.xml', settings.format('',
            f'<RuntimeIdentifierPackages><RuntimeIdentifierPackage RuntimeIdentifier="{rid}" Id="profview.{rid}" />'
            '</RuntimeIdentifierPackages>').encode(), 0o644)])
        pack(f'profview.{rid}', 'DotnetToolRidPackage', [(f'tools/any/{rid}/DotnetToolSettings.xml', settings.format(
            ' EntryPoint="profview" Runner="executable"', '').encode(), 0o644)] +
            [(f'tools/any/{rid}/{name}', path.read_bytes(), self.mode(name)) for name, path in self.files.items()])

    def nupkg(self, version, meta, name, kind, files):
        nuspec = f'''<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd">
  <metadata>
    <id>{name}</id>
    <version>{version}+{meta}</version>
    <authors>the profview authors</authors>
    <license type="expression">MIT</license>
    <description>{SUMMARY}</description>
    <packageTypes><packageType name="{kind}" /></packageTypes>
  </metadata>
</package>
'''
        opc = 'http://schemas.openxmlformats.org/package/2006'
        names = {n.rpartition('.')[2] for n, *_ in files if '.' in n.rpartition('/')[2]} | {'nuspec'}
        parts = ''.join(f'<Default Extension="{e}" ContentType="application/octet" />' for e in sorted(names))
        parts += ''.join(f'<Override PartName="/{n}" ContentType="application/octet" />' for n, *_ in files if '.' not in n.rpartition('/')[2])
        files = [(f'{name}.nuspec', nuspec.encode(), 0o644),
                 ('[Content_Types].xml', f'<?xml version="1.0" encoding="utf-8"?><Types xmlns="{opc}/content-types"><Default Extension="rels" '
                  f'ContentType="application/vnd.openxmlformats-package.relationships+xml" />{parts}</Types>'.encode(), 0o644),
                 ('_rels/.rels', f'<?xml version="1.0" encoding="utf-8"?><Relationships xmlns="{opc}/relationships"><Relationship Id="R1" '
                  f'Type="http://schemas.microsoft.com/packaging/2010/07/manifest" Target="/{name}.nuspec" /></Relationships>'.encode(), 0o644), *files]
        with zipfile.ZipFile(self.out / f'{name}.{version}.nupkg', 'w', zipfile.ZIP_DEFLATED, compresslevel=9) as z:
            for path, data, mode in files:
                info = zipfile.ZipInfo(path, time.gmtime(self.commit.seconds)[:6])
                info.external_attr, info.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
                z.writestr(info, data)

    def npm(self):
        about = {'name': 'profview', 'version': self.version, 'description': SUMMARY, 'license': 'MIT', 'os': ['linux'], 'cpu': [self.arch[2]],
                 'bin': {'profview': 'bin/profview'}, 'files': ['bin']}
        files = [('package.json', json.dumps(about, indent=2).encode() + b'\n', 0o644), ('LICENSE', (self.source / 'LICENSE').read_bytes(), 0o644)]
        files += [(f'bin/{name}', path.read_bytes(), self.mode(name)) for name, path in self.files.items()]
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode='w', format=tarfile.USTAR_FORMAT) as tar:
            for name, data, mode in files:
                info = tarfile.TarInfo(f'package/{name}')
                info.size, info.mode, info.mtime = len(data), mode, self.commit.seconds
                tar.addfile(info, io.BytesIO(data))
        (self.out / f'profview-{self.version}-{self.arch[1]}.tgz').write_bytes(gzip.compress(packed.getvalue(), 9, mtime=0))


def main(what, source, *args):
    source = pathlib.Path(source).resolve()
    if what == 'version':
        print(Commit(source).version(source))
    elif what == 'debian':
        debian(source, pathlib.Path(*args).resolve())
    elif what == 'portable':
        made = Portable(source, *(pathlib.Path(a).resolve() for a in args))
        made.out.mkdir(parents=True, exist_ok=True)
        made.deb()
        made.nuget()
        made.npm()
    else:
        sys.exit(__doc__)


if __name__ == '__main__':
    main(*sys.argv[1:])
