/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a sanitizer makes everything many times slower: then tests of many rounds take fewer. */
#ifndef TESTS_SANITIZED_H
#define TESTS_SANITIZED_H

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__) || __has_feature(thread_sanitizer) ||               \
    __has_feature(address_sanitizer)
enum { TEST_SANITIZED = 1 };
#else
enum { TEST_SANITIZED = 0 };
#endif

#endif
