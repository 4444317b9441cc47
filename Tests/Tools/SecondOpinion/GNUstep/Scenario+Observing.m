#import "Scenario.h"

/// Not declared in every version of GNUstep; where it's missing, sending it raises.
@interface NSObject (RemovingByContext)
- (void) removeObserver: (NSObject *)observer
             forKeyPath: (NSString *)path
                context: (void *)context;
@end

NSIndexSet *indexesIn(NSString *word)
{
  NSMutableIndexSet *indexes = [NSMutableIndexSet indexSet];
  NSEnumerator *words = [[word componentsSeparatedByString: @","] objectEnumerator];
  NSString *index;
  while ((index = [words nextObject]) != nil) [indexes addIndex: [index integerValue]];
  return indexes;
}

static NSKeyValueObservingOptions optionsIn(NSString *word)
{
  NSKeyValueObservingOptions options = 0;
  NSEnumerator *words = [[word componentsSeparatedByString: @","] objectEnumerator];
  NSString *option;
  while ((option = [words nextObject]) != nil)
    {
      if ([option isEqualToString: @"new"]) options |= NSKeyValueObservingOptionNew;
      else if ([option isEqualToString: @"old"]) options |= NSKeyValueObservingOptionOld;
      else if ([option isEqualToString: @"initial"]) options |= NSKeyValueObservingOptionInitial;
      else if ([option isEqualToString: @"prior"]) options |= NSKeyValueObservingOptionPrior;
      else if ([option isEqualToString: @"all"])
        options |= NSKeyValueObservingOptionNew | NSKeyValueObservingOptionOld
          | NSKeyValueObservingOptionInitial | NSKeyValueObservingOptionPrior;
      else if (![option isEqualToString: @"none"]) misspelt(option);
    }
  return options;
}

/// A number that stands for an address and is never dereferenced.
static void *contextIn(NSString *word)
{
  return (void *)[word integerValue];
}

@implementation Scenario (Observing)
- (void) observe: (NSString *)verb with: (NSArray *)words
{
  id object = [literals objectNamed: [words objectAtIndex: 0]];
  NSUInteger count = [words count];
  if ([verb isEqualToString: @"observe"])
    [object addObserver: [self observer: [words objectAtIndex: 3]]
      forKeyPath: [words objectAtIndex: 1]
      options: optionsIn([words objectAtIndex: 2])
      context: count == 5 ? contextIn([words objectAtIndex: 4]) : 0];
  else if ([verb isEqualToString: @"remove"] && count == 4)
    [object removeObserver: [self observer: [words objectAtIndex: 2]]
      forKeyPath: [words objectAtIndex: 1]
      context: contextIn([words objectAtIndex: 3])];
  else if ([verb isEqualToString: @"remove"])
    [object removeObserver: [self observer: [words objectAtIndex: 2]]
      forKeyPath: [words objectAtIndex: 1]];
  else if ([verb isEqualToString: @"observeall"])
    [[object valueForKey: [words objectAtIndex: 1]]
      addObserver: [self observer: [words objectAtIndex: 5]]
      toObjectsAtIndexes: indexesIn([words objectAtIndex: 2])
      forKeyPath: [words objectAtIndex: 3]
      options: optionsIn([words objectAtIndex: 4])
      context: 0];
  else if ([verb isEqualToString: @"removeall"])
    [[object valueForKey: [words objectAtIndex: 1]]
      removeObserver: [self observer: [words objectAtIndex: 4]]
      fromObjectsAtIndexes: indexesIn([words objectAtIndex: 2])
      forKeyPath: [words objectAtIndex: 3]];
  else if ([verb isEqualToString: @"observed"])
    [self say: [object observationInfo] == 0 ? @"= unobserved" : @"= observed"];
  else misspelt(verb);
}

- (void) announce: (NSString *)verb with: (NSArray *)words
{
  id object = [literals objectNamed: [words objectAtIndex: 0]];
  NSString *key = [words objectAtIndex: 1];
  BOOL isWill = [verb isEqualToString: @"will"];
  NSArray *kinds = [NSArray arrayWithObjects: @"insertion", @"removal", @"replacement", nil];
  NSArray *mutations = [NSArray arrayWithObjects: @"union", @"minus", @"intersect", @"set", nil];
  NSString *word = [words count] == 4 ? [words objectAtIndex: 2] : nil;
  if (word == nil)
    {
      if (isWill) [object willChangeValueForKey: key];
      else [object didChangeValueForKey: key];
    }
  else if ([kinds containsObject: word])
    {
      NSKeyValueChange kind = NSKeyValueChangeInsertion + [kinds indexOfObject: word];
      NSIndexSet *indexes = indexesIn([words objectAtIndex: 3]);
      if (isWill) [object willChange: kind valuesAtIndexes: indexes forKey: key];
      else [object didChange: kind valuesAtIndexes: indexes forKey: key];
    }
  else
    {
      NSKeyValueSetMutationKind kind
        = NSKeyValueUnionSetMutation + [mutations indexOfObject: word];
      NSSet *elements = [literals value: [words objectAtIndex: 3]];
      if (isWill) [object willChangeValueForKey: key withSetMutation: kind usingObjects: elements];
      else [object didChangeValueForKey: key withSetMutation: kind usingObjects: elements];
    }
}
@end
