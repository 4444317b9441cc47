#import "Models.h"

// Scenarios are short-lived processes, so nothing is released.

@implementation Person
@synthesize name, nickname, firstName, lastName, age, height, isActive, account, friend, books, plans;
@synthesize tags;

+ (void) initialize
{
  if (self == [Person class])
    {
      [self setKeys: [NSArray arrayWithObject: @"name"]
        triggerChangeNotificationsForDependentKey: @"greeting"];
      [self setKeys: [NSArray arrayWithObject: @"greeting"]
        triggerChangeNotificationsForDependentKey: @"letter"];
    }
}

+ (NSSet *) keyPathsForValuesAffectingFullName
{
  return [NSSet setWithObjects: @"firstName", @"lastName", nil];
}

+ (NSSet *) keyPathsForValuesAffectingValueForKey: (NSString *)key
{
  NSSet *paths = [super keyPathsForValuesAffectingValueForKey: key];
  if ([key isEqualToString: @"initials"])
    return [paths setByAddingObjectsFromSet: [self keyPathsForValuesAffectingFullName]];
  return paths;
}

+ (NSSet *) keyPathsForValuesAffectingWealth
{
  return [NSSet setWithObject: @"account.balance"];
}

- (id) init
{
  if ((self = [super init]))
    {
      name = @"Ada";
      firstName = @"Ada";
      lastName = @"Lovelace";
      age = 36;
      height = 1.5;
      books = [[NSArray alloc] initWithObjects: @"A", @"B", nil];
      tags = [[NSSet alloc] initWithObjects: @"x", @"y", nil];
    }
  return self;
}

- (NSString *) fullName { return [NSString stringWithFormat: @"%@-%@", firstName, lastName]; }

- (NSString *) initials
{
  return [NSString stringWithFormat: @"%@%@", [firstName substringToIndex: 1],
    [lastName substringToIndex: 1]];
}

- (NSString *) greeting { return [NSString stringWithFormat: @"Hello-%@", name]; }
- (NSString *) letter { return [NSString stringWithFormat: @"%@.", [self greeting]]; }
- (NSInteger) wealth { return [account balance]; }

- (BOOL) validateAge: (id *)value error: (NSError **)error
{
  if ([*value integerValue] < 0) return NO;
  if ([*value integerValue] > 150) *value = [NSNumber numberWithInteger: 150];
  return YES;
}

- (void) setNilValueForKey: (NSString *)key
{
  if ([key isEqualToString: @"age"]) [self setAge: 0];
  else [super setNilValueForKey: key];
}
@end

@implementation Forgiving
- (id) valueForUndefinedKey: (NSString *)key
{
  return [NSString stringWithFormat: @"no-%@", key];
}

- (void) setValue: (id)value forUndefinedKey: (NSString *)key
{
  [self setNickname: [NSString stringWithFormat: @"set-%@", key]];
}
@end

@implementation Account
@synthesize balance, limit, owner, entries, labels;

+ (BOOL) automaticallyNotifiesObserversForKey: (NSString *)key
{
  if ([[NSArray arrayWithObjects: @"limit", @"entries", @"labels", nil] containsObject: key])
    return NO;
  return [super automaticallyNotifiesObserversForKey: key];
}

- (id) init
{
  if ((self = [super init]))
    {
      balance = 100;
      limit = 10;
      entries = [[NSArray alloc] initWithObjects: @"A", @"B", nil];
      labels = [[NSSet alloc] initWithObjects: @"x", nil];
    }
  return self;
}
@end

@implementation Team
@synthesize members, leader;

- (id) init
{
  if ((self = [super init]))
    {
      members = [[NSArray alloc] init];
      storedRoster = [[NSMutableArray alloc] init];
      storedBench = [[NSMutableArray alloc] init];
      storedLineup = [[NSMutableArray alloc] init];
      storedColours = [[NSMutableSet alloc] init];
    }
  return self;
}

- (NSArray *) getRoster { return storedRoster; }
- (NSUInteger) countOfRoster { return [storedRoster count]; }
- (id) objectInRosterAtIndex: (NSUInteger)index { return [storedRoster objectAtIndex: index]; }
- (void) insertObject: (id)element inRosterAtIndex: (NSUInteger)index
{
  [storedRoster insertObject: element atIndex: index];
}
- (void) removeObjectFromRosterAtIndex: (NSUInteger)index
{
  [storedRoster removeObjectAtIndex: index];
}

- (NSArray *) getBench { return storedBench; }
- (NSUInteger) countOfBench { return [storedBench count]; }
- (id) objectInBenchAtIndex: (NSUInteger)index { return [storedBench objectAtIndex: index]; }
- (void) insertObject: (id)element inBenchAtIndex: (NSUInteger)index
{
  [storedBench insertObject: element atIndex: index];
}
- (void) removeObjectFromBenchAtIndex: (NSUInteger)index
{
  [storedBench removeObjectAtIndex: index];
}
- (void) replaceObjectInBenchAtIndex: (NSUInteger)index withObject: (id)element
{
  [storedBench replaceObjectAtIndex: index withObject: element];
}

- (NSUInteger) countOfLineup { return [storedLineup count]; }
- (id) objectInLineupAtIndex: (NSUInteger)index { return [storedLineup objectAtIndex: index]; }
- (void) insertLineup: (NSArray *)elements atIndexes: (NSIndexSet *)indexes
{
  [storedLineup insertObjects: elements atIndexes: indexes];
}
- (void) removeLineupAtIndexes: (NSIndexSet *)indexes
{
  [storedLineup removeObjectsAtIndexes: indexes];
}

// Cocoa's pattern for an unordered key consists of these three methods and the two that change it;
// the Swift class has getColours instead.
- (NSUInteger) countOfColours { return [storedColours count]; }
- (NSEnumerator *) enumeratorOfColours { return [storedColours objectEnumerator]; }
- (id) memberOfColours: (id)colour { return [storedColours member: colour]; }
- (NSSet *) getColours { return storedColours; }
- (void) addColoursObject: (id)colour { [storedColours addObject: colour]; }
- (void) removeColoursObject: (id)colour { [storedColours removeObject: colour]; }
@end

@implementation Company
@synthesize teams, groups, numbers, table;

- (id) init
{
  if ((self = [super init]))
    {
      teams = [[NSArray alloc] init];
      groups = [[NSArray alloc] init];
      numbers = [[NSArray alloc] init];
      table = [[NSDictionary alloc] initWithObjectsAndKeys: [NSNumber numberWithInt: 1], @"one",
        [NSNumber numberWithInt: 2], @"two", nil];
    }
  return self;
}
@end
