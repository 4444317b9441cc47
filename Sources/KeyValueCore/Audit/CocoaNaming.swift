/// A class that declares its dependencies in class functions, as in Cocoa; the audit's advice names these.
package protocol CocoaNaming: AnyObject {}

extension KeyValueSchema {
  /// Whether the audit's advice names Cocoa's class functions.
  var usesCocoaNaming: Bool { type is any CocoaNaming.Type }
}
