import KeyValueCore

/// Makes a class's properties readable, writable and observable by key and key path.
///
/// The macro rewrites the accessors of every stored `var`, writes the class's table of keys, adds
/// two words of state to the object and conforms the class to ``KeyValueObservable``. Constants and
/// computed properties become keys too. The macro infers a computed property's dependencies from
/// its getter.
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
/// without a superclass. Annotate a subclass of an observable class too if it adds properties or
/// methods; without the macro it has the inherited keys. The class may declare Cocoa's
/// customisation points, such as `class func automaticallyNotifiesObservers(forKey:)`; in a public
/// class they are public. The macro adds those that a root class doesn't declare, for its
/// subclasses to override.
///
/// The inference follows own properties, chains such as `account?.balance`, elements as in
/// `employees.map(\.salary)`, locals, closures, and the class's own methods, also those of another
/// object of the class. A read of a property's wrapper or projected value, `$page`, is a read of the
/// property. The inference doesn't follow methods of other classes' objects; declare their reads with
/// ``DependsOn(_:)-yg5z``. The class method `keyPathsForValuesAffectingValue(forKey:)` returns the
/// result.
///
/// Threading: as for the class. A class isolated to a global actor conforms in isolation; observe
/// its objects on that actor. A class that inherits its isolation from a superclass without the
/// macro has to repeat the attribute, `@MainActor`, because the macro sees only the class. It
/// needn't if its module isolates to the main actor by default or enables the upcoming feature
/// `InferIsolatedConformances`. The macro recognises a global actor by its name, which ends in
/// `Actor`. For another, declare `typealias DatabaseActor = DatabaseQueue` and isolate the class to
/// `@DatabaseActor`. A `deinit` of an isolated class that uses an observed property has to be an
/// `isolated deinit`, because the property's accessors are isolated. A property marked
/// ``KeyValueIgnored()`` has none, and needs no more than in a plain class.
///
/// Cost: two words in each object. Setting a property without observers takes two extra loads and a
/// branch.
///
/// Errors: at compile time, with fix-its. A property that can't announce its changes (`lazy`, a
/// property wrapper) needs ``NotifiesManually()`` or ``KeyValueIgnored()``. Several properties in
/// one `var` have to be declared separately. A property that an `init` accessor names in
/// `@storageRestrictions` needs ``KeyValueIgnored()``. A computed property that calls code that the macro
/// can't see needs ``DependsOn(_:)-yg5z`` or one of Cocoa's class methods to declare its
/// dependencies.
///
/// > Important: Only properties and methods in the class's body count, not those in extensions. A
/// class inside a function can't be annotated, because Swift adds no conformance there.
///
/// Source of the behaviour: Cocoa; its runtime does the same when it first observes an object of a
/// class; the inference of dependencies is this library's.
///
/// - Parameter nothing: Omit it. Swift prefers a macro without parameters to one with a default, so
///   `FoundationKVO`'s macro of this name is used where both are visible.
@attached(
  member, conformances: KeyValueObservable, Encodable, Decodable,
  names: named(_$kvoRegistrar), named(_$kvoWithRegistrar), named(_$KVOKey),
  named(_$kvoID),
  named(_$kvoStoredCount), named(_$kvoDefineKeys), named(keyPathsForValuesAffectingValue),
  named(automaticallyNotifiesObservers), named(value), named(setValue), named(setNilValue),
  named(init), named(encode), named(CodingKeys))
@attached(memberAttribute)
@attached(extension, conformances: KeyValueObservable)
public macro KeyValueObservable(_ nothing: Void = ()) =
  #externalMacro(module: "KeyValueMacros", type: "KeyValueObservableMacro")

/// Makes a class's properties observable by key and by Observation.
///
/// Like ``KeyValueObservable(_:)``; the class also works with `withObservationTracking` and
/// `Observations`, and so with SwiftUI. It conforms to Observation's `Observable`, and its
/// accessors notify Observation of each change when it happens, even inside `performChanges`.
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
/// A subclass repeats `tracking: true` for its own properties. Properties marked
/// ``NotifiesManually()`` aren't tracked. Threading is as for the class.
///
/// Cost: one more reference in each object, and Observation's cost for every access. A proxy's
/// change copies a tracked collection. Classes without `tracking: true` pay nothing.
///
/// - Parameter tracking: The literal `true`.
@attached(
  member, conformances: KeyValueObservable, Encodable, Decodable,
  names: prefixed(_$kvoTracking), named(_$kvoRegistrar), named(_$kvoWithRegistrar), named(_$KVOKey),
  named(_$kvoID),
  named(_$kvoStoredCount), named(_$kvoDefineKeys), named(keyPathsForValuesAffectingValue),
  named(automaticallyNotifiesObservers), named(value), named(setValue), named(setNilValue),
  named(init), named(encode), named(CodingKeys))
@attached(memberAttribute)
@attached(extension, conformances: KeyValueObservable, _KeyValueTracked)
public macro KeyValueObservable(tracking: Bool) =
  #externalMacro(module: "KeyValueMacros", type: "KeyValueObservableMacro")

/// Declares key paths that the property depends on.
///
/// Use it on a computed property if its getter doesn't show what it reads. The key paths add to
/// those that the macro infers and the class's methods return; they may lead through other objects
/// and contain collection operators. Without arguments, the attribute declares the inference
/// complete and silences the macro's warning.
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
/// - Parameter keyPaths: String literals, relative to the object. The compiler rejects a first key
///   that the class doesn't have, unless the class may inherit it, or declares
///   `value(forUndefinedKey:)` or `value(forKey:)`; registration checks the rest and throws
///   `undefinedKey`.
///
/// Source of the behaviour: Cocoa's `keyPathsForValuesAffectingValue(forKey:)`, extended by paths
/// through to-many relationships and operators.
@attached(peer)
public macro DependsOn(_ keyPaths: String...) =
  #externalMacro(module: "KeyValueMacros", type: "DependsOnMacro")

/// Declares key paths, checked by the compiler, that the property depends on.
///
/// Like ``DependsOn(_:)-yg5z`` with key path literals. They name the class, because the compiler
/// can't infer it.
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
/// - Parameter keyPaths: Key path literals that begin at the class.
///
/// Source of the behaviour: this library's; Cocoa has only the method.
@attached(peer)
public macro DependsOn<Root>(_ keyPaths: PartialKeyPath<Root>...) =
  #externalMacro(module: "KeyValueMacros", type: "DependsOnMacro")

/// Leaves a property's notifications to the class.
///
/// Assigning the property announces nothing; the class brackets the changes that it announces, for
/// instance only those that change the value. The property stays a key: readable and settable by
/// name, and observable. The mark also makes keys of `lazy` and wrapped properties.
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
/// Cost: none; the macro doesn't rewrite the accessors.
///
/// Source of the behaviour: Cocoa's `automaticallyNotifiesObservers(forKey:)` returning false.
@attached(peer)
public macro NotifiesManually() =
  #externalMacro(module: "KeyValueMacros", type: "NotifiesManuallyMacro")

/// Leaves a property or a method alone: it isn't a key and can't be observed.
///
/// For caches and other private state. A getter that reads the property doesn't depend on it: if it reads
/// keys, too, their changes alone notify its observers, and if it reads none, the macro warns. A method
/// with the mark is an ordinary one, whatever its name: no accessor, validator or customisation point of a
/// key, and the macro doesn't warn about its name. The methods that the library calls for every key, such
/// as `setNilValue(forKey:)`, can't have the mark.
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
/// Cost: none; the property compiles as without the macro.
///
/// Source of the behaviour: this library's; Cocoa finds every property.
@attached(peer)
public macro KeyValueIgnored() =
  #externalMacro(module: "KeyValueMacros", type: "KeyValueIgnoredMacro")

/// Keeps the values of a key out of traces, which show `redacted` instead.
///
/// The key is observed like any other. The values of a key that depends on it are shown, unless
/// that key is marked too.
///
/// ```swift
/// @KeyValueObservable
/// class Login {
///   @KeyValueRedacted var password = ""
/// }
/// let token = KeyValueTrace.observe { event in print(event) }
/// login.password = "secret"      // Login.password is set, … its values are nowhere
/// ```
///
/// Cost: none while nothing is traced.
///
/// Source of the behaviour: this library's.
@attached(peer)
public macro KeyValueRedacted() =
  #externalMacro(module: "KeyValueMacros", type: "KeyValueRedactedMacro")

/// Rewrites the accessors of one stored property; added by ``KeyValueObservable(_:)``.
///
/// Not for direct use: the accessors use members that the class's macro writes.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(_$))
public macro _KeyValueStored(tracking: Bool = false) =
  #externalMacro(module: "KeyValueMacros", type: "KeyValueStoredMacro")

/// Makes a customisation point return the effective set or switch; added by
/// ``KeyValueObservable(_:)``.
///
/// Not for direct use: it fits only the two class methods that describe a class's keys.
@attached(body)
public macro _KeyValueHook() =
  #externalMacro(module: "KeyValueMacros", type: "KeyValueHookMacro")

/// Lets an initialiser, or a `deinit`, change properties without their `willSet` and `didSet`;
/// added by ``KeyValueObservable(_:)``.
///
/// Plain Swift does the same. Not for direct use.
///
/// - Parameters:
///   - properties: The observed properties that it changes.
///   - stored: The stored properties that it names.
///   - members: The methods and computed properties that it names.
///   - isComplete: Whether every stored property has a value before the first statement.
///   - tracking: The properties of whose changes Observation is told.
@attached(body)
public macro _KeyValueInitializer(
  _ properties: [String], stored: [String] = [], members: [String] = [], isComplete: Bool = false,
  tracking: [String] = []
) = #externalMacro(module: "KeyValueMacros", type: "KeyValueInitializerMacro")
