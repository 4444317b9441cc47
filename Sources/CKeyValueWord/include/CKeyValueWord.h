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

#endif
