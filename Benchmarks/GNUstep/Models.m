#import "Models.h"

@implementation Counter
@synthesize value;
@end

@implementation Label
@synthesize text;
- (id) init
{
  if ((self = [super init])) text = @"";
  return self;
}
- (void) dealloc
{
  [text release];
  [super dealloc];
}
@end

@implementation Leaf
@synthesize c;
+ (Leaf *) leafWithC: (NSInteger)c
{
  Leaf *leaf = [[[Leaf alloc] init] autorelease];
  [leaf setC: c];
  return leaf;
}
@end

@implementation Middle
@synthesize b;
+ (Middle *) middleWithB: (Leaf *)b
{
  Middle *middle = [[[Middle alloc] init] autorelease];
  [middle setB: b];
  return middle;
}
- (void) dealloc
{
  [b release];
  [super dealloc];
}
@end

@implementation Root
@synthesize a;
+ (Root *) rootWithA: (Middle *)a
{
  Root *root = [[[Root alloc] init] autorelease];
  [root setA: a];
  return root;
}
- (void) dealloc
{
  [a release];
  [super dealloc];
}
@end

@implementation Person
@synthesize firstName, lastName;
// This version doesn't call keyPathsForValuesAffectingFullName.
+ (void) initialize
{
  if (self == [Person class])
    [self setKeys: [NSArray arrayWithObjects: @"firstName", @"lastName", nil]
      triggerChangeNotificationsForDependentKey: @"fullName"];
}
- (NSString *) fullName
{
  return [NSString stringWithFormat: @"%@ %@", firstName, lastName];
}
- (void) dealloc
{
  [firstName release];
  [lastName release];
  [super dealloc];
}
@end

@implementation NumberList
- (id) initWithCount: (NSUInteger)count
{
  if ((self = [super init]))
    {
      NSUInteger index;
      numbers = [[NSMutableArray alloc] initWithCapacity: count];
      for (index = 0; index < count; index++)
        [numbers addObject: [NSNumber numberWithInteger: index]];
    }
  return self;
}
- (NSUInteger) countOfNumbers { return [numbers count]; }
- (id) objectInNumbersAtIndex: (NSUInteger)index { return [numbers objectAtIndex: index]; }
- (void) insertObject: (id)number inNumbersAtIndex: (NSUInteger)index
{
  [numbers insertObject: number atIndex: index];
}
- (void) removeObjectFromNumbersAtIndex: (NSUInteger)index
{
  [numbers removeObjectAtIndex: index];
}
- (void) dealloc
{
  [numbers release];
  [super dealloc];
}
@end

@implementation Employee
@synthesize salary;
@end

@implementation Department
@synthesize totalSalary;
- (id) initWithCount: (NSUInteger)count
{
  if ((self = [super init]))
    {
      NSMutableArray *list = [NSMutableArray arrayWithCapacity: count];
      NSUInteger index;
      for (index = 0; index < count; index++)
        {
          Employee *employee = [[Employee alloc] init];
          [employee setSalary: index];
          [list addObject: employee];
          [employee release];
        }
      employees = [list copy];
    }
  return self;
}
- (NSArray *) employees { return employees; }
- (void) observeSalaries
{
  NSIndexSet *all = [NSIndexSet indexSetWithIndexesInRange: NSMakeRange(0, [employees count])];
  [employees addObserver: self toObjectsAtIndexes: all forKeyPath: @"salary" options: 0 context: 0];
}
- (void) observeValueForKeyPath: (NSString *)path
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
  [self setTotalSalary: [[self valueForKeyPath: @"employees.@sum.salary"] integerValue]];
}
@end

@implementation Observer
+ (id) observerWithTally: (Tally *)tally
{
  Observer *observer = [[[self alloc] init] autorelease];
  observer->tally = tally;
  return observer;
}
- (void) observeValueForKeyPath: (NSString *)path
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
  tally->notifications++;
}
@end

static long old(NSDictionary *change)
{
  return [[change objectForKey: NSKeyValueChangeOldKey] integerValue];
}

static long new(NSDictionary *change)
{
  return [[change objectForKey: NSKeyValueChangeNewKey] integerValue];
}

@implementation NumberObserver
- (void) observeValueForKeyPath: (NSString *)path
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
  tally->notifications++;
  tally->checksum += weight(old(change), new(change));
}
@end

@implementation TextObserver
- (void) observeValueForKeyPath: (NSString *)path
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
  tally->notifications++;
  tally->checksum += weight([[change objectForKey: NSKeyValueChangeOldKey] length],
                            [[change objectForKey: NSKeyValueChangeNewKey] length]);
}
@end

@implementation NameObserver
- (void) observeValueForKeyPath: (NSString *)path
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
  tally->notifications++;
  tally->checksum += [[change objectForKey: NSKeyValueChangeNewKey] length];
}
@end

@implementation InsertionObserver
- (void) observeValueForKeyPath: (NSString *)path
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
  NSArray *inserted = [change objectForKey: NSKeyValueChangeNewKey];
  NSIndexSet *indexes = [change objectForKey: NSKeyValueChangeIndexesKey];
  tally->notifications++;
  tally->checksum += weight([indexes firstIndex], [[inserted objectAtIndex: 0] integerValue]);
}
@end

@implementation TotalObserver
- (void) observeValueForKeyPath: (NSString *)path
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
  tally->notifications++;
  tally->checksum = new(change);
}
@end

@implementation ChainObserver
- (void) observeValueForKeyPath: (NSString *)path
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
  long value = new(change);
  tally->notifications++;
  tally->checksum += value;
  [[[target a] b] setC: value];
}
@end
