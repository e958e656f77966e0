// SPDX-License-Identifier: Apache-2.0
//
// Macros by which the functions here return their result or -errno, and by which some are excluded
// from instrumentation; and the conversion of times.
#ifndef FCS_RESULT_H
#define FCS_RESULT_H

#include <errno.h>
#include <stdint.h>

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

/// Converts a time to nanoseconds since 1970. The kernel's range is larger: a time before 1677 or
/// after 2262, which any program can give a file, becomes the least or the greatest number.
static inline int64_t clamped_nanoseconds(int64_t seconds, int64_t fraction) {
    int64_t result;
    if (__builtin_mul_overflow(seconds, (int64_t)1000000000, &result)
        || __builtin_add_overflow(result, fraction, &result))
        return seconds < 0 ? INT64_MIN : INT64_MAX;
    return result;
}

/// For code that runs where a sanitizer's bookkeeping must not be touched.
#if __has_attribute(disable_sanitizer_instrumentation)
#define NOT_INSTRUMENTED __attribute__((disable_sanitizer_instrumentation))
#else
#define NOT_INSTRUMENTED
#endif

#endif
