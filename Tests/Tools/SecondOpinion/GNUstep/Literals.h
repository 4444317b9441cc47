// Parses and prints values in the notation of scenarios.

#import <Foundation/Foundation.h>

@interface Literals : NSObject
{
  NSMutableDictionary *objects;
}
- (void) name: (id)object as: (NSString *)name;
- (void) forget: (NSString *)name;
/// Ends the program if there is no such object.
- (id) objectNamed: (NSString *)name;
/// Returns nil for the word nil.
- (id) value: (NSString *)text;
- (NSString *) text: (id)value;
@end

/// Ends the program: the scenario is misspelt.
void misspelt(NSString *what) __attribute__((noreturn));
