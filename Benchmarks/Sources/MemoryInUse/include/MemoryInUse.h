#ifndef MEMORY_IN_USE_H
#define MEMORY_IN_USE_H

#include <stddef.h>

/// The bytes that the process has allocated and not freed, with the allocator's overhead.
size_t memory_in_use(void);

#endif
