// GNUstep's key-value observing as one of the systems that Benchmarks/compare compares.
//
// Without an argument it prints its workloads, one a line. With a workload's name it reads counts
// of operations from standard input, one a line, and answers each with a line of three numbers:
// nanoseconds or bytes, notifications, checksum.

#import "Samples.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

/// The same texts as in the other systems.
NSString *text(long step)
{
  NSMutableString *text = [NSMutableString string];
  long count;
  for (count = 0; count < 4 + step; count++) [text appendString: @"text "];
  [text appendFormat: @"%ld", step + 1];
  return [NSString stringWithString: text];
}

int main(int argc, char **argv)
{
  const Entry *tables[] = {valueEntries, relationEntries, resourceEntries};
  Sample sample = 0;
  char line[64];
  int table, index;
  for (table = 0; table < 3; table++)
    for (index = 0; tables[table][index].workload != 0; index++)
      {
        if (argc < 2) puts(tables[table][index].workload);
        else if (strcmp(argv[1], tables[table][index].workload) == 0)
          sample = tables[table][index].sample;
      }
  if (argc < 2) return 0;
  if (sample == 0)
    {
      fprintf(stderr, "no such workload: %s\n", argv[1]);
      return 64;
    }
  while (fgets(line, sizeof line, stdin) != 0)
    {
      NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
      Tally tally = {0, 0};
      double total = sample(atol(line), &tally);
      printf("%.1f %ld %ld\n", total, tally.notifications, tally.checksum);
      fflush(stdout);
      [pool release];
    }
  return 0;
}
