// SPDX-License-Identifier: Apache-2.0
//
// Macros by which the functions here return their result or -errno, and by which some are excluded
// from instrumentation.
#ifndef FCS_RESULT_H
#define FCS_RESULT_H

#include <errno.h>

#define RESULT(call)                                   \
    ({                                                 \
        __typeof__(call) result_ = (call);             \
        result_ < 0 ? (__typeof__(call))-errno : result_; \
    })

/// The same for system calls that are repeated when a signal interrupts them.
#define RESULT_RETRYING(call)                          \
    ({                                                 \
        __typeof__(call) retried_;                     \
        do {                                           \
            retried_ = RESULT(call);                   \
        } while (retried_ == -EINTR);                  \
        retried_;                                      \
    })

/// For code that runs where a sanitizer's bookkeeping must not be touched.
#if __has_attribute(disable_sanitizer_instrumentation)
#define NOT_INSTRUMENTED __attribute__((disable_sanitizer_instrumentation))
#else
#define NOT_INSTRUMENTED
#endif

#endif
