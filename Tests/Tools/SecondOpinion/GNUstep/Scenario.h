// Runs the commands of one scenario, and prints its history. README.md says what each command does.

#import "Literals.h"

@interface Scenario : NSObject
{
@public
  Literals *literals;
  NSMutableDictionary *observers;
}
- (void) say: (NSString *)format, ...;
/// What a command raises is part of the history.
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

/// Writes what it is told into the history, and then does what the scenario has it do.
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
