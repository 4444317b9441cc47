#ifndef CKEYVALUEWORD_H
#define CKEYVALUEWORD_H

#include <stdint.h>

/// Reads a word that other threads may change, with relaxed ordering.
///
/// In Swift, `Atomic.load` counts as an instruction that may change memory. A loop that reads a property of
/// each object would therefore retain and release each object around the read. A pure C function changes
/// nothing.
static inline __attribute__((pure, always_inline)) uintptr_t
_kvo_relaxed_load(const void *_Nonnull word) {
  return __atomic_load_n((const uintptr_t *)word, __ATOMIC_RELAXED);
}

/// How many parts of transactions, on all threads, may be rolled back.
///
/// A setter reads it beside the object's word. A global `Atomic` of Swift takes four times the instructions,
/// because its address is the result of a call.
extern uintptr_t _kvo_open_rollbacks;

static inline __attribute__((always_inline)) _Bool _kvo_may_roll_back(void) {
  return __atomic_load_n(&_kvo_open_rollbacks, __ATOMIC_RELAXED) != 0;
}

/// Whether a word and the number of parts that may be rolled back are both 0.
///
/// One branch for both: a setter of an unobserved object has no other. On x86-64 the number is an operand of the
/// comparison, which LLVM doesn't make of an atomic load by itself. It's one load of an aligned word, as whole and as
/// relaxed as the C one. The thread sanitizer doesn't see assembly.
static inline __attribute__((always_inline)) _Bool
_kvo_stores_directly(const void *_Nonnull word) {
#if defined(__x86_64__) && !__has_feature(thread_sanitizer)
  uintptr_t both = _kvo_relaxed_load(word);
  _Bool isZero;
  __asm__("orq %2, %1" : "=@ccz"(isZero), "+r"(both) : "m"(_kvo_open_rollbacks));
  return isZero;
#else
  return (_kvo_relaxed_load(word) | __atomic_load_n(&_kvo_open_rollbacks, __ATOMIC_RELAXED)) == 0;
#endif
}

/// Adds to the number of parts that may be rolled back.
static inline void _kvo_add_open_rollbacks(intptr_t count) {
  __atomic_fetch_add(&_kvo_open_rollbacks, count, __ATOMIC_RELAXED);
}

#endif
