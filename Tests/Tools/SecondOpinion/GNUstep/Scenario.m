#import "Scenario.h"
#import "Models.h"
#include <stdio.h>

@implementation Scenario
- (id) init
{
  if ((self = [super init]))
    {
      literals = [[Literals alloc] init];
      observers = [[NSMutableDictionary alloc] init];
    }
  return self;
}

- (void) say: (NSString *)format, ...
{
  NSString *line;
  va_list arguments;
  va_start(arguments, format);
  line = [[[NSString alloc] initWithFormat: format arguments: arguments] autorelease];
  va_end(arguments);
  printf("  %s\n", [line UTF8String]);
}

- (id) observer: (NSString *)name
{
  Observer *observer = [observers objectForKey: name];
  if (observer == nil)
    {
      observer = [[[Observer alloc] init] autorelease];
      observer->name = [name retain];
      observer->scenario = self;
      observer->scripts = [[NSMutableArray alloc] init];
      [observers setObject: observer forKey: name];
    }
  return observer;
}

/// Assigns through the property's setter, for any type of value.
- (void) assign: (id)value to: (NSString *)key of: (id)object
{
  NSString *setter = [NSString stringWithFormat: @"set%@%@:",
    [[key substringToIndex: 1] uppercaseString], [key substringFromIndex: 1]];
  SEL selector = NSSelectorFromString(setter);
  if (selector == 0 || ![object respondsToSelector: selector]) misspelt(setter);
  switch (*[[object methodSignatureForSelector: selector] getArgumentTypeAtIndex: 2])
    {
      case '@':
        [object performSelector: selector withObject: value];
        break;
      case 'l': case 'q':
        ((void (*)(id, SEL, NSInteger))[object methodForSelector: selector])
          (object, selector, [value integerValue]);
        break;
      default: misspelt(setter);
    }
}

- (void) validate: (NSArray *)words
{
  id value = [literals value: [words objectAtIndex: 2]];
  NSError *error = nil;
  if ([[literals objectNamed: [words objectAtIndex: 0]] validateValue: &value
    forKeyPath: [words objectAtIndex: 1] error: &error])
    [self say: @"valid %@", [literals text: value]];
  else [self say: @"invalid"];
}

- (void) perform: (NSString *)verb with: (NSArray *)words
{
  NSUInteger count = [words count];
  NSString *first = [words objectAtIndex: 0];
  NSString *second = count > 1 ? [words objectAtIndex: 1] : nil;
  if ([verb isEqualToString: @"new"])
    {
      Class class = NSClassFromString(second);
      if (class == Nil) misspelt(second);
      [literals name: [[[class alloc] init] autorelease] as: first];
    }
  else if ([verb isEqualToString: @"forget"]) [literals forget: first];
  else if ([verb isEqualToString: @"when"])
    {
      Observer *observer = [self observer: first];
      [observer->scripts addObject: [words subarrayWithRange: NSMakeRange(1, count - 1)]];
    }
  else if ([verb isEqualToString: @"set"])
    [[literals objectNamed: first] setValue: [literals value: [words objectAtIndex: 2]]
      forKeyPath: second];
  else if ([verb isEqualToString: @"assign"])
    [self assign: [literals value: [words objectAtIndex: 2]] to: second
      of: [literals objectNamed: first]];
  else if ([verb isEqualToString: @"get"])
    [self say: @"= %@", [literals text: [[literals objectNamed: first] valueForKeyPath: second]]];
  else if ([verb isEqualToString: @"validate"]) [self validate: words];
  else if ([verb hasPrefix: @"observe"] || [verb hasPrefix: @"remove"])
    [self observe: verb with: words];
  else if ([verb isEqualToString: @"will"] || [verb isEqualToString: @"did"])
    [self announce: verb with: words];
  else if ([verb isEqualToString: @"array"]) [self changeArray: words];
  else if ([verb isEqualToString: @"setof"]) [self changeSet: words];
  else misspelt(verb);
}

- (void) run: (NSArray *)words
{
  NS_DURING
    [self perform: [words objectAtIndex: 0]
      with: [words subarrayWithRange: NSMakeRange(1, [words count] - 1)]];
  NS_HANDLER
    [self say: @"raises %@", [localException name]];
  NS_ENDHANDLER
}
@end

@implementation Observer
- (void) observeValueForKeyPath: (NSString *)path
                       ofObject: (id)object
                         change: (NSDictionary *)change
                        context: (void *)context
{
  Literals *literals = scenario->literals;
  NSMutableString *line = [NSMutableString stringWithFormat: @"%@ %@.%@", name,
    [literals text: object], path];
  id kind = [change objectForKey: NSKeyValueChangeKindKey];
  id old = [change objectForKey: NSKeyValueChangeOldKey];
  id new = [change objectForKey: NSKeyValueChangeNewKey];
  NSIndexSet *indexes = [change objectForKey: NSKeyValueChangeIndexesKey];
  NSUInteger index;
  NSArray *kinds = [NSArray arrayWithObjects: @"no-kind", @"setting", @"insertion", @"removal",
    @"replacement", nil];
  [line appendFormat: @" %@", [kinds objectAtIndex: [kind unsignedIntegerValue]]];
  if (old != nil) [line appendFormat: @" old %@", [literals text: old]];
  if (new != nil) [line appendFormat: @" new %@", [literals text: new]];
  if (indexes != nil)
    {
      NSMutableArray *texts = [NSMutableArray array];
      for (index = [indexes firstIndex]; index != NSNotFound;
        index = [indexes indexGreaterThanIndex: index])
        [texts addObject: [NSString stringWithFormat: @"%lu", (unsigned long)index]];
      [line appendFormat: @" at %@", [texts componentsJoinedByString: @","]];
    }
  if ([[change objectForKey: NSKeyValueChangeNotificationIsPriorKey] boolValue])
    [line appendString: @" prior"];
  // Scenarios have contexts of one digit; any other value is an address that no registration passed.
  if (context != 0 && (long)context < 10) [line appendFormat: @" context %ld", (long)context];
  else if (context != 0) [line appendString: @" context of-nobody"];
  [scenario say: @"%@", line];
  calls++;
  for (index = 0; index < [scripts count]; index++)
    {
      NSArray *script = [scripts objectAtIndex: index];
      if ((NSUInteger)[[script objectAtIndex: 0] integerValue] == calls)
        [scenario run: [script subarrayWithRange: NSMakeRange(1, [script count] - 1)]];
    }
}
@end
