/// A class that states its dependencies as Cocoa's do, by class functions; the audit's advice names those.
package protocol CocoaNaming: AnyObject {}

extension KeyValueSchema {
  /// Whether the audit's advice names Cocoa's class functions.
  var usesCocoaNaming: Bool { type is any CocoaNaming.Type }
}
