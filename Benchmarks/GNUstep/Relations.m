// W6 to W9 and W11.

#import "Samples.h"

#define NOT_INLINED __attribute__((noinline))

static const NSKeyValueObservingOptions oldAndNew
  = NSKeyValueObservingOptionOld | NSKeyValueObservingOptionNew;

static NOT_INLINED void setC(Leaf *leaf, NSInteger c) { [leaf setC: c]; }
static NOT_INLINED void setB(Middle *middle, Leaf *b) { [middle setB: b]; }
static NOT_INLINED void setA(Root *root, Middle *a) { [root setA: a]; }
static NOT_INLINED void setFirstName(Person *person, NSString *name)
{
  [person setFirstName: name];
}
static NOT_INLINED void setLastName(Person *person, NSString *name) { [person setLastName: name]; }
static NOT_INLINED void append(NSMutableArray *proxy, NSInteger number)
{
  [proxy addObject: [NSNumber numberWithInteger: number]];
}
static NOT_INLINED void setSalary(Employee *employee, NSInteger salary)
{
  [employee setSalary: salary];
}

static double setLeaf(long operations, Tally *tally)
{
  Leaf *leaf = [Leaf leafWithC: 0];
  Root *root = [Root rootWithA: [Middle middleWithB: leaf]];
  NumberObserver *observer = [NumberObserver observerWithTally: tally];
  double start;
  long step;
  [root addObserver: observer forKeyPath: @"a.b.c" options: oldAndNew context: 0];
  start = now();
  for (step = 1; step <= operations; step++) setC(leaf, step);
  start = now() - start;
  [root removeObserver: observer forKeyPath: @"a.b.c"];
  return start;
}

static double replaceMiddle(long operations, Tally *tally)
{
  Leaf *leaves[2] = {[Leaf leafWithC: 1], [Leaf leafWithC: 2]};
  Middle *middle = [Middle middleWithB: leaves[0]];
  Root *root = [Root rootWithA: middle];
  NumberObserver *observer = [NumberObserver observerWithTally: tally];
  double start;
  long step;
  [root addObserver: observer forKeyPath: @"a.b.c" options: oldAndNew context: 0];
  start = now();
  for (step = 1; step <= operations; step++) setB(middle, leaves[step & 1]);
  start = now() - start;
  [root removeObserver: observer forKeyPath: @"a.b.c"];
  return start;
}

static double replaceFirst(long operations, Tally *tally)
{
  Middle *middles[2] = {
    [Middle middleWithB: [Leaf leafWithC: 1]], [Middle middleWithB: [Leaf leafWithC: 2]]};
  Root *root = [Root rootWithA: middles[0]];
  NumberObserver *observer = [NumberObserver observerWithTally: tally];
  double start;
  long step;
  [root addObserver: observer forKeyPath: @"a.b.c" options: oldAndNew context: 0];
  start = now();
  for (step = 1; step <= operations; step++) setA(root, middles[step & 1]);
  start = now() - start;
  [root removeObserver: observer forKeyPath: @"a.b.c"];
  return start;
}

static double dependentKey(long operations, Tally *tally)
{
  Person *person = [[[Person alloc] init] autorelease];
  NameObserver *observer = [NameObserver observerWithTally: tally];
  NSString *texts[8];
  double start;
  long step;
  for (step = 0; step < 8; step++) texts[step] = text(step);
  [person setFirstName: texts[0]];
  [person setLastName: texts[0]];
  [person addObserver: observer
           forKeyPath: @"fullName"
              options: NSKeyValueObservingOptionNew
              context: 0];
  start = now();
  for (step = 1; step <= operations; step++)
    {
      if (step & 1)
        setFirstName(person, texts[step & 7]);
      else
        setLastName(person, texts[step & 7]);
    }
  start = now() - start;
  [person removeObserver: observer forKeyPath: @"fullName"];
  return start;
}

static double appendTo(long count, long operations, Tally *tally)
{
  NumberList *list = [[[NumberList alloc] initWithCount: count] autorelease];
  InsertionObserver *observer = [InsertionObserver observerWithTally: tally];
  NSMutableArray *proxy;
  double start;
  long step;
  [list addObserver: observer forKeyPath: @"numbers" options: oldAndNew context: 0];
  proxy = [list mutableArrayValueForKey: @"numbers"];
  start = now();
  for (step = 1; step <= operations; step++) append(proxy, step);
  start = now() - start;
  [list removeObserver: observer forKeyPath: @"numbers"];
  return start;
}

static double append1000(long operations, Tally *tally) { return appendTo(1000, operations, tally); }
static double append100000(long operations, Tally *tally)
{
  return appendTo(100000, operations, tally);
}

static double totalSalary(long count, long operations, Tally *tally)
{
  // One workload for each process: the department stays for all samples.
  static Department *department = nil;
  TotalObserver *observer = [TotalObserver observerWithTally: tally];
  NSArray *employees;
  double start;
  long step;
  if (department == nil)
    {
      department = [[Department alloc] initWithCount: count];
      [department observeSalaries];
    }
  employees = [department employees];
  [department addObserver: observer
               forKeyPath: @"totalSalary"
                  options: NSKeyValueObservingOptionNew
                  context: 0];
  start = now();
  for (step = 1; step <= operations; step++)
    setSalary([employees objectAtIndex: step * 7919 % count], step * 104729 % 1000003);
  start = now() - start;
  [department removeObserver: observer forKeyPath: @"totalSalary"];
  return start;
}

static double total1000(long operations, Tally *tally)
{
  return totalSalary(1000, operations, tally);
}
static double total10000(long operations, Tally *tally)
{
  return totalSalary(10000, operations, tally);
}
static double total100000(long operations, Tally *tally)
{
  return totalSalary(100000, operations, tally);
}

static double chain(long operations, Tally *tally)
{
  Root *roots[3];
  ChainObserver *observers[2];
  Leaf *leaf;
  double start;
  long step;
  for (step = 0; step < 3; step++)
    roots[step] = [Root rootWithA: [Middle middleWithB: [Leaf leafWithC: 0]]];
  for (step = 0; step < 2; step++)
    {
      observers[step] = [ChainObserver observerWithTally: tally];
      observers[step]->target = roots[step + 1];
      [roots[step] addObserver: observers[step]
                    forKeyPath: @"a.b.c"
                       options: NSKeyValueObservingOptionNew
                       context: 0];
    }
  leaf = [[roots[0] a] b];
  start = now();
  for (step = 1; step <= operations; step++) setC(leaf, step);
  start = now() - start;
  for (step = 0; step < 2; step++)
    [roots[step] removeObserver: observers[step] forKeyPath: @"a.b.c"];
  return start;
}

const Entry relationEntries[] = {
  {"W6 path a.b.c, the leaf set", setLeaf},
  {"W6 path a.b.c, b replaced", replaceMiddle},
  {"W6 path a.b.c, a replaced", replaceFirst},
  {"W7 dependent key with two sources, new", dependentKey},
  {"W8 append through a kept proxy, 1000 elements", append1000},
  {"W8 append through a kept proxy, 100000 elements", append100000},
  {"W9 totalSalary of 1000, one salary changed", total1000},
  {"W9 totalSalary of 10000, one salary changed", total10000},
  {"W9 totalSalary of 100000, one salary changed", total100000},
  {"W11 two chained observers of a.b.c", chain},
  {0, 0},
};
