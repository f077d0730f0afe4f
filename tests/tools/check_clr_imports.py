#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The .NET module cannot end the program it is loaded into, and exports what the runtime asks for.

usage: check_clr_imports.py NM LIBRARY
"""
import sys

import check_probe_imports as probe

if __name__ == '__main__':
    probe.EXPORTED = {'DllGetClassObject'}  # and samples take a signal, as in native programs
    sys.exit(probe.main(*sys.argv[1:]))
