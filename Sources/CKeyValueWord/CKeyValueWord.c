#include "CKeyValueWord.h"

uintptr_t _kvo_open_rollbacks = 0;
