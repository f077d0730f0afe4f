#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lines of methods as we read them from PDBs, and as System.Reflection.Metadata reads them: the same.

usage: test_pdb.py DOTNET PDB_PRINT PDB_POINTS.dll MODULE.dll...
"""
import pathlib
import subprocess
import sys

SKIP = 77


def lines(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (command, done.stderr)
    return done.stdout.splitlines()


def framework():
    """PDBs of the framework itself, where packages of the SDK have left any."""
    packages = pathlib.Path.home() / '.nuget/packages'
    found = sorted(packages.glob('microsoft.netcore.app.runtime.*/*/runtimes/*/*/*.pdb'))
    return [p.with_suffix('.dll') for p in found if p.with_suffix('.dll').exists()][:3]


def main(dotnet, ours, theirs, *modules):
    if dotnet == 'none':
        print('dotnet is not installed')
        return SKIP
    for module in [*modules, *framework()]:
        other, own = lines(dotnet, theirs, module), lines(ours, module)
        kinds = {line.split()[0] for line in other}
        assert {'document', 'point'} <= kinds, (module, kinds)
        different = [pair for pair in zip(other, own) if pair[0] != pair[1]][:5]
        assert other == own, (module, len(other), len(own), different)
        print(module, len(own), 'lines', sorted(kinds))
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
