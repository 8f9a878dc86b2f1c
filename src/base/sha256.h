/* SPDX-License-Identifier: BSD-3-Clause */
/* SHA-256 (FIPS 180-4), as sha256sum prints it. */
#ifndef MNP_BASE_SHA256_H
#define MNP_BASE_SHA256_H

#include <stddef.h>

enum { MNP_SHA256_TEXT = 65 /* digits, and the end */ };

void mnp_sha256(const void *bytes, size_t count, char text[static MNP_SHA256_TEXT]);

#endif
