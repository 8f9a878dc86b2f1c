/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of the runtime's errors, and sentences for them. */
#ifndef CUDART_ERRORS_H
#define CUDART_ERRORS_H

/* NULL: there is no such error. */
const char *cudart_error_name(int code);
const char *cudart_error_text(int code);

#endif
