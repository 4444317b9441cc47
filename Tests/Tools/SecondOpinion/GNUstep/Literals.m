#import "Literals.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void misspelt(NSString *what)
{
  fprintf(stderr, "misspelt: %s\n", [what UTF8String]);
  exit(64);
}

@implementation Literals
- (id) init
{
  if ((self = [super init])) objects = [[NSMutableDictionary alloc] init];
  return self;
}

- (void) name: (id)object as: (NSString *)name { [objects setObject: object forKey: name]; }
- (void) forget: (NSString *)name { [objects removeObjectForKey: name]; }

- (id) objectNamed: (NSString *)name
{
  id object = [objects objectForKey: name];
  if (object == nil) misspelt(name);
  return object;
}

// Reading.

- (id) scalar: (NSString *)word
{
  NSScanner *scanner = [NSScanner scannerWithString: word];
  long long integer;
  double number;
  if ([word isEqualToString: @"nil"]) return nil;
  if ([word isEqualToString: @"true"]) return [NSNumber numberWithBool: YES];
  if ([word isEqualToString: @"false"]) return [NSNumber numberWithBool: NO];
  if ([word hasPrefix: @"$"]) return [self objectNamed: [word substringFromIndex: 1]];
  if ([scanner scanLongLong: &integer] && [scanner isAtEnd])
    return [NSNumber numberWithLongLong: integer];
  [scanner setScanLocation: 0];
  if ([scanner scanDouble: &number] && [scanner isAtEnd]) return [NSNumber numberWithDouble: number];
  misspelt(word);
}

- (id) next: (const char **)rest
{
  const char *start = *rest;
  if (*start == '[' || *start == '{')
    {
      NSMutableArray *elements = [NSMutableArray array];
      char end = *start == '[' ? ']' : '}';
      for (*rest = start + 1; **rest != end;)
        {
          id element;
          if (**rest == ',') (*rest)++;
          element = [self next: rest];
          [elements addObject: element == nil ? [NSNull null] : element];
        }
      (*rest)++;
      return end == ']' ? (id)elements : (id)[NSSet setWithArray: elements];
    }
  if (*start == '"')
    {
      const char *end = strchr(start + 1, '"');
      *rest = end + 1;
      return [[[NSString alloc] initWithBytes: start + 1 length: end - start - 1
        encoding: NSUTF8StringEncoding] autorelease];
    }
  *rest = start + strcspn(start, ",]}");
  return [self scalar: [[[NSString alloc] initWithBytes: start length: *rest - start
    encoding: NSUTF8StringEncoding] autorelease]];
}

- (id) value: (NSString *)text
{
  const char *rest = [text UTF8String];
  id value = [self next: &rest];
  if (*rest != 0) misspelt(text);
  return value;
}

// Writing.

- (NSString *) list: (id)collection sorted: (BOOL)isSorted
{
  NSMutableArray *texts = [NSMutableArray array];
  NSEnumerator *enumerator = [collection objectEnumerator];
  id element;
  while ((element = [enumerator nextObject]) != nil) [texts addObject: [self text: element]];
  if (isSorted) [texts sortUsingSelector: @selector(compare:)];
  return [texts componentsJoinedByString: @","];
}

- (NSString *) text: (id)value
{
  NSArray *names;
  if (value == nil || value == [NSNull null]) return @"nil";
  if ([value isKindOfClass: [NSString class]]) return [NSString stringWithFormat: @"\"%@\"", value];
  if ([value isKindOfClass: [NSNumber class]])
    {
      double number = [value doubleValue];
      if (number == floor(number)) return [NSString stringWithFormat: @"%lld", (long long)number];
      return [NSString stringWithFormat: @"%.15g", number];
    }
  if ([value isKindOfClass: [NSArray class]])
    return [NSString stringWithFormat: @"[%@]", [self list: value sorted: NO]];
  if ([value isKindOfClass: [NSSet class]])
    return [NSString stringWithFormat: @"{%@}", [self list: value sorted: YES]];
  names = [objects allKeysForObject: value];
  return [names count] == 0 ? @"$?" : [@"$" stringByAppendingString: [names objectAtIndex: 0]];
}
@end
