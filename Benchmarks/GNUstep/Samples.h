#import "Models.h"

/// Runs a number of operations of a workload, and returns their nanoseconds or bytes.
typedef double (*Sample)(long operations, Tally *tally);

typedef struct
{
  const char *workload;
  Sample sample;
} Entry;

double now(void);
NSString *text(long step);

extern const Entry valueEntries[];
extern const Entry relationEntries[];
extern const Entry resourceEntries[];
