#import "Scenario.h"

@implementation Scenario (Collections)
- (void) changeArray: (NSArray *)words
{
  NSMutableArray *proxy = [[literals objectNamed: [words objectAtIndex: 0]]
    mutableArrayValueForKeyPath: [words objectAtIndex: 1]];
  NSString *verb = [words objectAtIndex: 2];
  NSString *first = [words count] > 3 ? [words objectAtIndex: 3] : nil;
  NSString *second = [words count] > 4 ? [words objectAtIndex: 4] : nil;
  NSUInteger index = [first integerValue];
  if ([verb isEqualToString: @"read"]) [self say: @"= %@", [literals text: proxy]];
  else if ([verb isEqualToString: @"add"]) [proxy addObject: [literals value: first]];
  else if ([verb isEqualToString: @"insert"])
    [proxy insertObject: [literals value: second] atIndex: index];
  else if ([verb isEqualToString: @"remove"]) [proxy removeObjectAtIndex: index];
  else if ([verb isEqualToString: @"replace"])
    [proxy replaceObjectAtIndex: index withObject: [literals value: second]];
  else if ([verb isEqualToString: @"exchange"])
    [proxy exchangeObjectAtIndex: index withObjectAtIndex: [second integerValue]];
  else if ([verb isEqualToString: @"addall"])
    [proxy addObjectsFromArray: [literals value: first]];
  else if ([verb isEqualToString: @"insertall"])
    [proxy insertObjects: [literals value: second] atIndexes: indexesIn(first)];
  else if ([verb isEqualToString: @"removeall"])
    [proxy removeObjectsAtIndexes: indexesIn(first)];
  else if ([verb isEqualToString: @"replaceall"])
    [proxy replaceObjectsAtIndexes: indexesIn(first) withObjects: [literals value: second]];
  else if ([verb isEqualToString: @"clear"]) [proxy removeAllObjects];
  else if ([verb isEqualToString: @"set"]) [proxy setArray: [literals value: first]];
  else misspelt(verb);
}

- (void) changeSet: (NSArray *)words
{
  NSMutableSet *proxy = [[literals objectNamed: [words objectAtIndex: 0]]
    mutableSetValueForKeyPath: [words objectAtIndex: 1]];
  NSString *verb = [words objectAtIndex: 2];
  id operand = [words count] > 3 ? [literals value: [words objectAtIndex: 3]] : nil;
  if ([verb isEqualToString: @"read"]) [self say: @"= %@", [literals text: proxy]];
  else if ([verb isEqualToString: @"add"]) [proxy addObject: operand];
  else if ([verb isEqualToString: @"remove"]) [proxy removeObject: operand];
  else if ([verb isEqualToString: @"union"]) [proxy unionSet: operand];
  else if ([verb isEqualToString: @"minus"]) [proxy minusSet: operand];
  else if ([verb isEqualToString: @"intersect"]) [proxy intersectSet: operand];
  else if ([verb isEqualToString: @"set"]) [proxy setSet: operand];
  else if ([verb isEqualToString: @"clear"]) [proxy removeAllObjects];
  else misspelt(verb);
}
@end
