// A module of C needs a source file; everything is in the header.
#include "CKeyValueWord.h"
