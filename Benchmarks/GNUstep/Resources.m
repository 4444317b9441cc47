// W10 and W12. There is no W13: with 8 threads GNUstep 1.28 ends with a signal, whether or not each
// thread has an object of its own.

#import "Samples.h"
#include <malloc.h>

#define NOT_INLINED __attribute__((noinline))

static double inUse(void)
{
  struct mallinfo2 info = mallinfo2();
  return (double)(info.uordblks + info.hblkhd);
}

typedef enum { unobserved, first, second, removed } Stage;

static double memory(Stage stage, long count, Tally *tally)
{
  Counter **objects = calloc(count, sizeof(Counter *));
  Observer *observers[2] = {
    [Observer observerWithTally: tally], [Observer observerWithTally: tally]};
  Counter *warmUp = [[Counter alloc] init];
  double before, after, alone;
  long index;
  int list;
  [warmUp addObserver: observers[0] forKeyPath: @"value" options: 0 context: 0];
  [warmUp removeObserver: observers[0] forKeyPath: @"value"];
  [warmUp release];
  before = inUse();
  for (index = 0; index < count; index++) objects[index] = [[Counter alloc] init];
  after = alone = inUse();
  for (list = 0; list < (stage == unobserved ? 0 : stage == first ? 1 : 2); list++)
    {
      before = after;
      for (index = 0; index < count; index++)
        [objects[index] addObserver: observers[list] forKeyPath: @"value" options: 0 context: 0];
      after = inUse();
    }
  if (stage == removed)
    {
      for (list = 0; list < 2; list++)
        for (index = 0; index < count; index++)
          [objects[index] removeObserver: observers[list] forKeyPath: @"value"];
      before = alone;
      after = inUse();
    }
  for (index = 0; index < count; index++) [objects[index] setValue: 1];
  if (stage == first || stage == second)
    for (list = 0; list < (stage == first ? 1 : 2); list++)
      for (index = 0; index < count; index++)
        [objects[index] removeObserver: observers[list] forKeyPath: @"value"];
  for (index = 0; index < count; index++) [objects[index] release];
  free(objects);
  return after - before;
}

static double unobservedBytes(long count, Tally *tally) { return memory(unobserved, count, tally); }
static double firstBytes(long count, Tally *tally) { return memory(first, count, tally); }
static double secondBytes(long count, Tally *tally) { return memory(second, count, tally); }
static double removedBytes(long count, Tally *tally) { return memory(removed, count, tally); }

static NOT_INLINED id valueFor(id object, NSString *key) { return [object valueForKey: key]; }
static NOT_INLINED id valueForPath(id object, NSString *path)
{
  return [object valueForKeyPath: path];
}
static NOT_INLINED void setValue(Counter *counter, NSInteger value, NSString *key)
{
  [counter setValue: [NSNumber numberWithInteger: value] forKey: key];
}

static double valueForKey(long operations, Tally *tally)
{
  Counter *counter = [[[Counter alloc] init] autorelease];
  double start;
  long step;
  [counter setValue: 7];
  start = now();
  for (step = 0; step < operations; step++)
    tally->checksum += [valueFor(counter, @"value") integerValue];
  return now() - start;
}

static double setValueForKey(long operations, Tally *tally)
{
  Counter *counter = [[[Counter alloc] init] autorelease];
  double start = now();
  long step;
  for (step = 1; step <= operations; step++) setValue(counter, step, @"value");
  start = now() - start;
  tally->checksum = [counter value];
  return start;
}

static double valueForKeyPath(long operations, Tally *tally)
{
  Root *root = [Root rootWithA: [Middle middleWithB: [Leaf leafWithC: 7]]];
  double start = now();
  long step;
  for (step = 0; step < operations; step++)
    tally->checksum += [valueForPath(root, @"a.b.c") integerValue];
  return now() - start;
}

static double sumOperator(long operations, Tally *tally)
{
  static Department *department = nil;
  double start;
  long step;
  if (department == nil) department = [[Department alloc] initWithCount: 10000];
  start = now();
  for (step = 0; step < operations; step++)
    tally->checksum += [valueForPath(department, @"employees.@sum.salary") integerValue];
  return now() - start;
}

const Entry resourceEntries[] = {
  {"W10 bytes of an unobserved object", unobservedBytes},
  {"W10 bytes for the first observation", firstBytes},
  {"W10 bytes for the second observation", secondBytes},
  {"W10 bytes left after removal", removedBytes},
  {"W12 value(forKey:)", valueForKey},
  {"W12 setValue(_:forKey:)", setValueForKey},
  {"W12 value(forKeyPath:), three components", valueForKeyPath},
  {"W12 @sum over 10000", sumOperator},
  {0, 0},
};
