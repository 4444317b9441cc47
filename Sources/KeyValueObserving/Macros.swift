import KeyValueCore

/// Makes a class's properties readable, writable and observable by key and key path.
///
/// The macro rewrites the accessors of every stored `var`, writes the class's table of keys, gives
/// the object two words of state and conforms the class to ``KeyValueObservable``. Constants and
/// computed properties become keys too; what a computed property depends on is read off its getter.
///
/// ```swift
/// @KeyValueObservable
/// class Person {
///   var firstName = "Ada"
///   var lastName = "Lovelace"
///   var fullName: String { "\(firstName) \(lastName)" }
/// }
/// let person = Person()
/// let observation = person.kvo.fullName.observe(options: [.new]) { _, change in
///   print(change.newValue!)                      // Grace Lovelace
/// }
/// person.firstName = "Grace"
/// ```
///
/// It works on classes that are generic, `open`, `public`, `final`, `@MainActor` or nested, with or
/// without a superclass. A subclass of an observable class is annotated too where it has properties
/// or methods to add; un-annotated ones work with the inherited keys. The class may declare Cocoa's
/// customisation points itself, such as `class func automaticallyNotifiesObservers(forKey:)`; in a
/// public class they are public. Those that a root class does not declare are emitted for its
/// subclasses to override.
///
/// Inference follows own properties, chains such as `account?.balance`, elements as in
/// `employees.map(\.salary)`, locals, closures, and the class's own methods. It does not look into
/// methods of other objects; what those read is for ``DependsOn(_:)-yg5z`` to say.
/// `keyPathsForValuesAffectingValue(forKey:)`, called on the class, prints what was found.
///
/// Threading: as the class's own. A class isolated to a global actor conforms in isolation, and its
/// objects are observed on that actor. A class that inherits its isolation from a superclass without the
/// macro repeats the attribute, `@MainActor`, unless its module isolates to the main actor by default or
/// enables the upcoming feature `InferIsolatedConformances`: the macro sees the class alone.
///
/// Cost: two words in each object. An assignment that nobody observes costs one load and one branch
/// more than to a plain property.
///
/// Errors: at compile time, with fix-its. A property that cannot announce its changes (`lazy`, a
/// property wrapper) is refused until it is marked ``NotifiesManually()`` or ``KeyValueIgnored()``;
/// several properties in one `var` have to be declared one by one; a computed property that calls what the macro cannot see is reported until
/// ``DependsOn(_:)-yg5z`` or one of Cocoa's class methods says what it reads.
///
/// > Important: Only properties declared in the class's body are keys, and only methods there are found
/// > by name, not those of extensions; and a class inside a function cannot be annotated, because
/// > Swift adds no conformance there.
///
/// The behaviour is Cocoa's, where the run time does the same to a class when it is first observed;
/// the inference of dependencies is ours.
@attached(
  member, conformances: KeyValueObservable,
  names: named(_$kvoRegistrar), named(_$kvoWithRegistrar), named(_$KVOKey),
  named(_$kvoID),
  named(_$kvoStoredCount), named(_$kvoDefineKeys), named(keyPathsForValuesAffectingValue),
  named(automaticallyNotifiesObservers), named(value), named(setValue), named(setNilValue),
  named(init), named(encode), named(CodingKeys))
@attached(memberAttribute)
@attached(extension, conformances: KeyValueObservable)
public macro KeyValueObservable() =
  #externalMacro(module: "KeyValueMacros", type: "KeyValueObservableMacro")

/// Makes a class's properties observable by key, and by Observation as well.
///
/// As ``KeyValueObservable()``; and the class also works with `withObservationTracking` and
/// `Observations`, and so with SwiftUI. It conforms to Observation's `Observable`, and its accessors
/// tell Observation too: of each change when it happens, also inside `performChanges`.
///
/// ```swift
/// @KeyValueObservable(tracking: true)
/// final class Counter {
///   var count = 0
/// }
/// let counter = Counter()
/// withObservationTracking {
///   print(counter.count)                         // 0
/// } onChange: {
///   print("about to change")                     // about to change
/// }
/// counter.count = 1
/// ```
///
/// A subclass says `tracking: true` again for its own properties. Properties marked
/// ``NotifiesManually()`` are not tracked. Threading is the class's own.
///
/// Cost: one more reference an object, and what Observation costs for every access. A tracked
/// collection is copied when a proxy changes it. Classes without `tracking: true` pay nothing.
///
/// - Parameter tracking: The literal `true`.
@attached(
  member, conformances: KeyValueObservable,
  names: named(_$kvoTracking), named(_$kvoRegistrar), named(_$kvoWithRegistrar), named(_$KVOKey),
  named(_$kvoID),
  named(_$kvoStoredCount), named(_$kvoDefineKeys), named(keyPathsForValuesAffectingValue),
  named(automaticallyNotifiesObservers), named(value), named(setValue), named(setNilValue),
  named(init), named(encode), named(CodingKeys))
@attached(memberAttribute)
@attached(extension, conformances: KeyValueObservable, _KeyValueTracked)
public macro KeyValueObservable(tracking: Bool) =
  #externalMacro(module: "KeyValueMacros", type: "KeyValueObservableMacro")

/// Declares key paths whose changes also change the property.
///
/// For a computed property whose getter does not show what it reads. The declaration adds to what
/// the macro infers and to what the class's methods say; keys, key paths through other objects and
/// collection operators are allowed. Without arguments it means that the inference is complete, and
/// only silences the macro's doubt.
///
/// ```swift
/// @KeyValueObservable
/// class Investor {
///   var account: Account? = Account()
///   @DependsOn("account.balance") var isRich: Bool { wealth() > 1_000_000 }
/// }
/// let observation = investor.kvo.isRich.observe(options: [.new]) { _, change in
///   print(change.newValue!)                      // true
/// }
/// investor.account?.balance = 2_000_000
/// ```
///
/// - Parameter keyPaths: String literals, relative to the object. The compiler reports a first key
///   that the class does not have, unless it may be inherited; the rest is checked at registration,
///   which throws `undefinedKey`.
///
/// The behaviour is that of Cocoa's `keyPathsForValuesAffectingValue(forKey:)`, extended by paths
/// through to-many relationships and operators.
@attached(peer)
public macro DependsOn(_ keyPaths: String...) =
  #externalMacro(module: "KeyValueMacros", type: "DependsOnMacro")

/// Declares key paths, checked by the compiler, whose changes also change the property.
///
/// The same as ``DependsOn(_:)-yg5z`` with key path literals. They name the class, since the
/// compiler cannot supply it.
///
/// ```swift
/// @KeyValueObservable
/// class Investor {
///   var account: Account? = Account()
///   @DependsOn(\Investor.account?.balance) var isRich: Bool { wealth() > 1_000_000 }
/// }
/// print(Investor.keyPathsForValuesAffectingValue(forKey: "isRich"))     // ["account.balance"]
/// ```
///
/// - Parameter keyPaths: Key path literals whose root is the class.
///
/// The spelling is ours; Cocoa has only the method.
@attached(peer)
public macro DependsOn<Root>(_ keyPaths: PartialKeyPath<Root>...) =
  #externalMacro(module: "KeyValueMacros", type: "DependsOnMacro")

/// Leaves a property's notifications to the class.
///
/// Assigning the property announces nothing. The class brackets the changes that it wants to
/// announce, for instance only those that change the value. The property stays a key: it is read and
/// set by name and may be observed. Also the way to make keys of `lazy` properties and of those with
/// a property wrapper.
///
/// ```swift
/// @KeyValueObservable
/// class Account {
///   @NotifiesManually private(set) var openingBalance = 0.0
///   func open(with balance: Double) {
///     guard balance != openingBalance else { return }
///     willChangeValue(forKey: "openingBalance")
///     openingBalance = balance
///     didChangeValue(forKey: "openingBalance")
///   }
/// }
/// let observation = account.kvo.openingBalance.observe(options: [.new]) { _, change in
///   print(change.newValue!)                      // 10.0
/// }
/// account.open(with: 10)
/// account.open(with: 10)
/// ```
///
/// Cost: the accessors are not rewritten; the property is as fast as a plain one.
///
/// The behaviour is that of Cocoa's `automaticallyNotifiesObservers(forKey:)` answering false.
@attached(peer)
public macro NotifiesManually() =
  #externalMacro(module: "KeyValueMacros", type: "NotifiesManuallyMacro")

/// Leaves a property alone: it is no key and cannot be observed.
///
/// For caches and other state that is nobody else's business. A getter that reads the property does
/// not depend on it.
///
/// ```swift
/// @KeyValueObservable
/// class Document {
///   var text = ""
///   @KeyValueIgnored var layout: [Int: Double] = [:]
/// }
/// print(Document.keyValueKeys)                   // ["text"]
/// ```
///
/// Cost: none; the property is compiled as if the class were not annotated.
///
/// The mark is ours; Cocoa finds every property.
@attached(peer)
public macro KeyValueIgnored() =
  #externalMacro(module: "KeyValueMacros", type: "KeyValueIgnoredMacro")

/// Rewrites the accessors of one stored property; added by ``KeyValueObservable()``.
///
/// Not for use by hand: the accessors speak of members that the class's macro writes.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(_$))
public macro _KeyValueStored(tracking: Bool = false) =
  #externalMacro(module: "KeyValueMacros", type: "KeyValueStoredMacro")

/// Makes a declared customisation point answer the effective set or switch; added by
/// ``KeyValueObservable()``.
///
/// Not for use by hand: it fits the two class methods that a class's keys are asked through.
@attached(body)
public macro _KeyValueHook() =
  #externalMacro(module: "KeyValueMacros", type: "KeyValueHookMacro")

/// Makes an initialiser, or a `deinit`, change properties past their `willSet` and `didSet`, as in
/// plain Swift; added by ``KeyValueObservable()``.
///
/// Not for use by hand.
///
/// - Parameters:
///   - properties: The observed properties that it changes.
///   - stored: The stored properties that it names.
///   - members: The methods and computed properties that it names.
///   - isComplete: Whether every stored property has a value before the first statement.
@attached(body)
public macro _KeyValueInitializer(
  _ properties: [String], stored: [String] = [], members: [String] = [], isComplete: Bool = false
) = #externalMacro(module: "KeyValueMacros", type: "KeyValueInitializerMacro")
