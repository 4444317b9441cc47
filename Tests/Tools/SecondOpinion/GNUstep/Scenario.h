// Runs the commands of one scenario, and prints its history. README.md describes the commands.

#import "Literals.h"

@interface Scenario : NSObject
{
@public
  Literals *literals;
  NSMutableDictionary *observers;
}
- (void) say: (NSString *)format, ...;
/// Runs a command; exceptions that it raises are part of the history.
- (void) run: (NSArray *)words;
- (id) observer: (NSString *)name;
@end

@interface Scenario (Observing)
- (void) observe: (NSString *)verb with: (NSArray *)words;
- (void) announce: (NSString *)verb with: (NSArray *)words;
@end

@interface Scenario (Collections)
- (void) changeArray: (NSArray *)words;
- (void) changeSet: (NSArray *)words;
@end

/// Writes each notification into the history, then runs the scenario's command for that call.
@interface Observer : NSObject
{
@public
  NSString *name;
  Scenario *scenario;
  NSUInteger calls;
  NSMutableArray *scripts;
}
@end

NSIndexSet *indexesIn(NSString *word);
