#include <sqlite3.h>

#if SQLITE_VERSION_NUMBER < 3037000
#error "KeyValueReplica needs SQLite 3.37 or later: it makes STRICT tables."
#endif
