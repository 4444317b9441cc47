// W1 to W5.

#import "Samples.h"

#define NOT_INLINED __attribute__((noinline))

static NOT_INLINED void set(Counter *counter, NSInteger value) { [counter setValue: value]; }
static NOT_INLINED NSInteger get(Counter *counter) { return [counter value]; }
static NOT_INLINED void setText(Label *label, NSString *text) { [label setText: text]; }

static NOT_INLINED void add(Counter *counter, Observer *observer)
{
  [counter addObserver: observer forKeyPath: @"value" options: 0 context: 0];
}
static NOT_INLINED void take(Counter *counter, Observer *observer)
{
  [counter removeObserver: observer forKeyPath: @"value"];
}

static double setUnobserved(long operations, Tally *tally)
{
  Counter *counter = [[[Counter alloc] init] autorelease];
  double start = now();
  long step;
  for (step = 1; step <= operations; step++) set(counter, step);
  start = now() - start;
  tally->checksum = [counter value];
  return start;
}

static double readUnobserved(long operations, Tally *tally)
{
  Counter *counter = [[[Counter alloc] init] autorelease];
  double start;
  long step;
  [counter setValue: 7];
  start = now();
  for (step = 0; step < operations; step++) tally->checksum += get(counter);
  return now() - start;
}

static double observers(int count, long operations, Tally *tally)
{
  Counter *counter = [[[Counter alloc] init] autorelease];
  NSMutableArray *all = [NSMutableArray array];
  double start;
  long step;
  for (step = 0; step < count; step++)
    {
      [all addObject: [Observer observerWithTally: tally]];
      add(counter, [all lastObject]);
    }
  start = now();
  for (step = 1; step <= operations; step++) set(counter, step);
  start = now() - start;
  for (step = 0; step < count; step++) take(counter, [all objectAtIndex: step]);
  tally->checksum = [counter value];
  return start;
}

static double oneObserver(long operations, Tally *tally) { return observers(1, operations, tally); }
static double tenObservers(long operations, Tally *tally)
{
  return observers(10, operations, tally);
}
static double hundredObservers(long operations, Tally *tally)
{
  return observers(100, operations, tally);
}

static double numberWithValues(long operations, Tally *tally)
{
  Counter *counter = [[[Counter alloc] init] autorelease];
  NumberObserver *observer = [NumberObserver observerWithTally: tally];
  double start;
  long step;
  [counter addObserver: observer
            forKeyPath: @"value"
               options: NSKeyValueObservingOptionOld | NSKeyValueObservingOptionNew
               context: 0];
  start = now();
  for (step = 1; step <= operations; step++) set(counter, step);
  start = now() - start;
  take(counter, observer);
  return start;
}

static double textWithValues(long operations, Tally *tally)
{
  Label *label = [[[Label alloc] init] autorelease];
  TextObserver *observer = [TextObserver observerWithTally: tally];
  NSString *texts[8];
  double start;
  long step;
  for (step = 0; step < 8; step++) texts[step] = text(step);
  [label addObserver: observer
          forKeyPath: @"text"
             options: NSKeyValueObservingOptionOld | NSKeyValueObservingOptionNew
             context: 0];
  start = now();
  for (step = 1; step <= operations; step++) setText(label, texts[step & 7]);
  start = now() - start;
  [label removeObserver: observer forKeyPath: @"text"];
  return start;
}

static double addAndRemove(BOOL besideAnother, long operations, Tally *tally)
{
  Counter *counter = [[[Counter alloc] init] autorelease];
  Observer *other = [Observer observerWithTally: tally];
  Observer *observer = [Observer observerWithTally: tally];
  double start;
  long step;
  if (besideAnother) add(counter, other);
  start = now();
  for (step = 0; step < operations; step++)
    {
      add(counter, observer);
      take(counter, observer);
    }
  start = now() - start;
  [counter setValue: 1];
  add(counter, observer);
  [counter setValue: 2];
  take(counter, observer);
  if (besideAnother) take(counter, other);
  tally->checksum = [counter value];
  return start;
}

static double addAndRemoveAlone(long operations, Tally *tally)
{
  return addAndRemove(NO, operations, tally);
}
static double addAndRemoveBesideAnother(long operations, Tally *tally)
{
  return addAndRemove(YES, operations, tally);
}

static double addAndRemoveMany(long count, long operations, Tally *tally)
{
  Counter *counter = [[[Counter alloc] init] autorelease];
  NSMutableArray *all = [NSMutableArray array];
  double time = 0;
  long round, step;
  for (step = 0; step < count; step++) [all addObject: [Observer observerWithTally: tally]];
  for (round = 0; round < operations / count; round++)
    {
      double start = now();
      for (step = 0; step < count; step++) add(counter, [all objectAtIndex: step]);
      time += now() - start;
      [counter setValue: 1];
      start = now();
      for (step = 0; step < count; step++) take(counter, [all objectAtIndex: step]);
      time += now() - start;
    }
  [counter setValue: 2];
  tally->checksum = [counter value];
  return time;
}

static double addAndRemove100(long operations, Tally *tally)
{
  return addAndRemoveMany(100, operations, tally);
}
static double addAndRemove1000(long operations, Tally *tally)
{
  return addAndRemoveMany(1000, operations, tally);
}

const Entry valueEntries[] = {
  {"W1 set Int, unobserved, same module", setUnobserved},
  {"W1r read Int, unobserved, same module", readUnobserved},
  {"W2 set Int, one observer, no values, same module", oneObserver},
  {"W3 set Int, one observer, old and new, same module", numberWithValues},
  {"W3 set String, one observer, old and new, same module", textWithValues},
  {"W4 set Int, 10 observers, no values", tenObservers},
  {"W4 set Int, 100 observers, no values", hundredObservers},
  {"W5 add and remove an observer, alone", addAndRemoveAlone},
  {"W5 add and remove an observer, beside another", addAndRemoveBesideAnother},
  {"W5 100 observers added, then removed, each", addAndRemove100},
  {"W5 1000 observers added, then removed, each", addAndRemove1000},
  {0, 0},
};
