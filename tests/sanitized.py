# SPDX-License-Identifier: BSD-3-Clause
"""How a test of a sanitizer's build runs programs on what Maniple preloads."""
import os
import subprocess


def environment(maniple):
    """AddressSanitizer's library, where Maniple is built with it, must stand before what Maniple preloads; what a program
    that runs on it leaves behind when it ends is no leak of ours."""
    lines = subprocess.run(["ldd", maniple], capture_output=True, text=True, check=True).stdout.splitlines()
    libraries = [line.split()[2] for line in lines if "libasan" in line or "libubsan" in line]
    if not libraries:
        return dict(os.environ)
    return dict(os.environ, LD_PRELOAD=":".join(libraries),
                ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")
