/// A class that declares its dependencies in class functions, as in Cocoa; the audit's advice names these.
package protocol CocoaNaming: AnyObject {}
