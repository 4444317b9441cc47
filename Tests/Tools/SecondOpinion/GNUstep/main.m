// Reads scenarios from standard input, runs the named scenario, and prints its history.
// Scripts/second-opinion compares the history with that of this library's program. Given --version, it
// prints GNUstep's version instead.

#import "Scenario.h"
#import <GNUstepBase/GSConfig.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
  NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
  Scenario *scenario = [[Scenario alloc] init];
  BOOL isInside = NO, isFound = NO;
  char line[512];
  if (argc != 2) return 64;
  if (strcmp(argv[1], "--version") == 0)
    {
      printf("%d.%d.%d\n", GNUSTEP_BASE_MAJOR_VERSION, GNUSTEP_BASE_MINOR_VERSION,
        GNUSTEP_BASE_SUBMINOR_VERSION);
      return 0;
    }
  // Line buffering makes the output before a crash visible.
  setvbuf(stdout, 0, _IOLBF, 0);
  while (fgets(line, sizeof line, stdin) != 0)
    {
      NSMutableArray *words = [NSMutableArray array];
      char *word;
      for (word = strtok(line, " \n"); word != 0; word = strtok(0, " \n"))
        [words addObject: [NSString stringWithUTF8String: word]];
      if ([words count] == 0 || [[words objectAtIndex: 0] hasPrefix: @"#"]) continue;
      if ([[words objectAtIndex: 0] isEqualToString: @"scenario"])
        {
          isInside = [words count] > 1
            && strcmp([[words objectAtIndex: 1] UTF8String], argv[1]) == 0;
          isFound = isFound || isInside;
        }
      else if (isInside)
        {
          puts([[words componentsJoinedByString: @" "] UTF8String]);
          [scenario run: words];
        }
    }
  [pool release];
  return isFound ? 0 : 64;
}
