import KeyValueObserving

/// A person with a bank account, the classic guide's model.
@KeyValueObservable
open class Person {
  /// The first name.
  public var firstName = "Ada"
  /// The last name.
  public var lastName = "Lovelace"
  /// The age in years.
  public var age = 36
  /// The name that friends use, if there is one.
  public var nickname: String?
  /// The account, held strongly.
  public var account: Account?
  /// The manager, held weakly.
  public weak var manager: Person?
  /// A to-many property, observable as a whole.
  public var books: [String] = []
  /// An unordered to-many property.
  public var tags: Set<String> = []
  /// A property of a value type with members.
  public var frame = Frame()

  /// Depends on two keys, by inference.
  public var fullName: String { "\(firstName) \(lastName)" }

  /// Depends on a key of another object, by inference.
  public var wealth: Double { account?.balance ?? 0 }

  /// Creates a person with the default values.
  public init() {}
}

/// A bank account.
@KeyValueObservable
public final class Account {
  /// The money in the account.
  public var balance = 0.0
  /// The rate at which the balance grows.
  public var interestRate = 0.02
  /// The owner, held weakly.
  public weak var owner: Person?

  /// Creates an account with this balance.
  public init(balance: Double = 0) {
    self.balance = balance
  }
}

/// A rectangle without a graphics library.
public struct Frame: Equatable, Sendable {
  /// A corner.
  public struct Point: Equatable, Sendable {
    /// The horizontal coordinate.
    public var x = 0.0
    /// The vertical coordinate.
    public var y = 0.0

    /// Creates the origin.
    public init() {}
  }

  /// The top left corner.
  public var origin = Point()

  /// Creates an empty frame at the origin.
  public init() {}
}

/// An annotated subclass.
@KeyValueObservable
public final class Manager: Person {
  /// The level in the hierarchy.
  public var level = 1
  /// Depends on an inherited key and on one of this class.
  public var title: String { "\(lastName), level \(level)" }
}

/// A subclass that is not annotated.
public final class Visitor: Person {
  /// Not a key: the class is not annotated.
  public var badge = 0
}
