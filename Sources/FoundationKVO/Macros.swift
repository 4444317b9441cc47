/// Makes a class from a Cocoa source observable, as Cocoa's runtime does.
///
/// For subclasses of this module's ``NSObject``. `dynamic` members announce their changes, as Cocoa's
/// `@objc dynamic` members do: stored properties, computed properties with a setter, and collection
/// accessors. Every other property is a key too, but announces nothing by itself.
///
/// ```swift
/// @KeyValueObservable
/// class Employee: NSObject {
///   dynamic var name = ""
///   dynamic var salary = 0.0
/// }
/// let employee = Employee()
/// let observation = employee.observe(\.salary, options: [.old, .new]) { _, change in
///   print(change.oldValue!, change.newValue!)    // 0.0 4200.0
/// }
/// employee.setValue(4200, forKey: "salary")
/// ```
///
/// Cost and threading are the same as for `KeyValueObserving`'s macro of this name.
@attached(
  member, conformances: KeyValueObservable, Encodable, Decodable,
  names: named(_$kvoRegistrar), named(_$kvoWithRegistrar), named(_$KVOKey),
  named(_$kvoID),
  named(_$kvoStoredCount), named(_$kvoDefineKeys), named(_$kvoTypes),
  named(keyPathsForValuesAffectingValue),
  named(automaticallyNotifiesObservers), named(value), named(setValue), named(setNilValue),
  named(init), named(encode), named(CodingKeys))
@attached(memberAttribute)
@attached(extension, names: arbitrary)
public macro KeyValueObservable() =
  #externalMacro(module: "KeyValueMacros", type: "CocoaObservableMacro")
