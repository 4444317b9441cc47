// The observed classes, in GNUstep's style.

#import <Foundation/Foundation.h>

@interface Counter : NSObject
{
  NSInteger value;
}
@property (nonatomic, assign) NSInteger value;
@end

@interface Label : NSObject
{
  NSString *text;
}
@property (nonatomic, copy) NSString *text;
@end

@interface Leaf : NSObject
{
  NSInteger c;
}
@property (nonatomic, assign) NSInteger c;
+ (Leaf *) leafWithC: (NSInteger)c;
@end

@interface Middle : NSObject
{
  Leaf *b;
}
@property (nonatomic, retain) Leaf *b;
+ (Middle *) middleWithB: (Leaf *)b;
@end

@interface Root : NSObject
{
  Middle *a;
}
@property (nonatomic, retain) Middle *a;
+ (Root *) rootWithA: (Middle *)a;
@end

@interface Person : NSObject
{
  NSString *firstName;
  NSString *lastName;
}
@property (nonatomic, copy) NSString *firstName;
@property (nonatomic, copy) NSString *lastName;
- (NSString *) fullName;
@end

@interface NumberList : NSObject
{
  NSMutableArray *numbers;
}
- (id) initWithCount: (NSUInteger)count;
- (NSUInteger) countOfNumbers;
- (id) objectInNumbersAtIndex: (NSUInteger)index;
- (void) insertObject: (id)number inNumbersAtIndex: (NSUInteger)index;
- (void) removeObjectFromNumbersAtIndex: (NSUInteger)index;
@end

@interface Employee : NSObject
{
  NSInteger salary;
}
@property (nonatomic, assign) NSInteger salary;
@end

/// Observes each employee and adds up the salaries when one changes, as in Cocoa's guide.
@interface Department : NSObject
{
  NSArray *employees;
  NSInteger totalSalary;
}
@property (nonatomic, assign) NSInteger totalSalary;
- (id) initWithCount: (NSUInteger)count;
- (NSArray *) employees;
- (void) observeSalaries;
@end

/// The notifications of a sample's observers.
typedef struct
{
  long notifications;
  long checksum;
} Tally;

static inline long weight(long old, long new) { return new * 3 - old; }

/// Counts.
@interface Observer : NSObject
{
@public
  Tally *tally;
}
+ (id) observerWithTally: (Tally *)tally;
@end

/// Counts and weighs old and new numbers.
@interface NumberObserver : Observer
@end

/// Counts and weighs the lengths of old and new texts.
@interface TextObserver : Observer
@end

/// Counts and adds the length of new texts.
@interface NameObserver : Observer
@end

/// Counts and weighs the index and the element of an insertion.
@interface InsertionObserver : Observer
@end

/// Counts and keeps the last new number.
@interface TotalObserver : Observer
@end

/// Counts, adds, and writes the new number to the path a.b.c of another object.
@interface ChainObserver : Observer
{
@public
  Root *target;
}
@end
