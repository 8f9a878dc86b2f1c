/* SPDX-License-Identifier: BSD-3-Clause */
/* The headers of the replacement policies that are compiled into the caches (list.h). */
#ifndef MNP_PARTS_CACHE_POLICIES_HEADERS_H
#define MNP_PARTS_CACHE_POLICIES_HEADERS_H

#include "parts/cache/policies/fifo.h"
#include "parts/cache/policies/lru.h"
#include "parts/cache/policies/plru.h"
#include "parts/cache/policies/random.h"
#include "parts/cache/policies/srrip.h"

#endif
