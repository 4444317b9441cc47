#include "MemoryInUse.h"

#if defined(__APPLE__)
#include <malloc/malloc.h>

size_t memory_in_use(void) {
  malloc_statistics_t statistics;
  malloc_zone_statistics(NULL, &statistics);
  return statistics.size_in_use;
}
#else
#include <malloc.h>

// Swift's Glibc module does not have malloc.h.
size_t memory_in_use(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}
#endif
