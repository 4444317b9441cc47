// The classes that scenarios use, as a user of Cocoa writes them. Swift/Models.swift has the same
// classes.

#import <Foundation/Foundation.h>

@class Account;

@interface Person : NSObject
{
  NSString *name, *nickname, *firstName, *lastName;
  NSInteger age;
  double height;
  BOOL isActive;
  Account *account;
  Person *friend;
  NSArray *books, *plans;
  NSSet *tags;
}
@property (nonatomic, copy) NSString *name, *nickname, *firstName, *lastName;
@property (nonatomic, assign) NSInteger age;
@property (nonatomic, assign) double height;
@property (nonatomic, assign) BOOL isActive;
@property (nonatomic, retain) Account *account;
@property (nonatomic, retain) Person *friend;
@property (nonatomic, copy) NSArray *books, *plans;
@property (nonatomic, copy) NSSet *tags;
- (NSString *) fullName;
- (NSString *) initials;
- (NSString *) greeting;
- (NSString *) letter;
- (NSInteger) wealth;
@end

@interface Forgiving : Person
@end

@interface Account : NSObject
{
  NSInteger balance, limit;
  Person *owner;
  NSArray *entries;
  NSSet *labels;
}
@property (nonatomic, assign) NSInteger balance, limit;
@property (nonatomic, retain) Person *owner;
@property (nonatomic, copy) NSArray *entries;
@property (nonatomic, copy) NSSet *labels;
@end

@interface Team : NSObject
{
  NSArray *members;
  Person *leader;
  NSMutableArray *storedRoster, *storedBench, *storedLineup;
  NSMutableSet *storedColours;
}
@property (nonatomic, copy) NSArray *members;
@property (nonatomic, retain) Person *leader;
@end

@interface Company : NSObject
{
  NSArray *teams, *groups, *numbers;
  NSDictionary *table;
}
@property (nonatomic, copy) NSArray *teams, *groups, *numbers;
@property (nonatomic, copy) NSDictionary *table;
@end
