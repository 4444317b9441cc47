/// What Foundation or the Objective-C runtime has, and neither Foundation on Linux nor FoundationKVO.
enum Mend {
  /// By the name of a function, a type or a macro.
  static let names: [String: String] = [
    "objc_sync_enter": "use an NSRecursiveLock that the object keeps",
    "objc_sync_exit": "use an NSRecursiveLock that the object keeps",
    "objc_setAssociatedObject": "keep the value in a property",
    "objc_getAssociatedObject": "keep the value in a property",
    "method_exchangeImplementations": "there is no Objective-C runtime: override the method",
    "class_getInstanceMethod": "there is no Objective-C runtime: override the method",
    "object_setClass": "there is no Objective-C runtime: keep the class in a property",
    "NSClassFromString": "keep the classes in a dictionary by name",
    "NSSelectorFromString": "there are no selectors: pass a closure",
    "NSStringFromSelector": "there are no selectors: write the name as a string",
    "Selector": "there are no selectors: pass a closure",
    "NSException": "Foundation on Linux has none: throw an error, or call fatalError(_:)",
    "NSMapTable": "use a dictionary with weak references in its values",
    "NSHashTable": "use an array of weak references",
    "autoreleasepool": "run the closure's code itself: there are no autorelease pools",
    "NSInvocation": "there are no selectors: keep a closure",
    "keyValueObservingExpectation": expectation,
    "XCTKVOExpectation": expectation,
    "objCType": "that of a whole number is an integer's, also for a Double",
    "NSArrayController": "there is no controller layer: observe the model's keys",
    "NSObjectController": "there is no controller layer: observe the model's keys",
    "NSManagedObject": "there is no Core Data",
    "NSKeyedUnarchiveFromData": "write a transformer of your own",
    "ValueTransformer": transformer,
    "NSValueTransformerName": transformer,
  ]

  private static let expectation =
    "add the file of Documentation/PortingFromCocoa.md, 'Expectations of XCTest', to the target"
  private static let transformer =
    "Foundation on Linux has none: write a function, or a KeyValueTransformer for a binding"

  /// By the labels of a call's arguments, and its name.
  static let calls: [String: String] = [
    "prepare(withInvocationTarget:)":
      "write 'registerUndo(withTarget:handler:)' with a closure that makes the call",
    "registerUndo(withTarget:selector:object:)":
      "write 'registerUndo(withTarget:handler:)' with a closure that makes the call",
    "bind(_:to:withKeyPath:options:)":
      "observe the key path and set the property, or use the library's bindings",
    "unbind(_:)": "remove the observer that replaces the binding",
    "addObserver(_:selector:name:object:)":
      "write 'addObserver(forName:object:queue:using:)' and keep the token",
    "perform(_:)": "call the method, or keep a closure",
    "perform(_:with:)": "call the method, or keep a closure",
    "perform(_:with:afterDelay:)": "use 'DispatchQueue.main.asyncAfter'",
    "responds(to:)": "cast to a protocol, and call its method",
    "scheduledTimer(timeInterval:target:selector:userInfo:repeats:)":
      "write 'scheduledTimer(withTimeInterval:repeats:block:)'",
  ]

  /// Classes of Foundation, AppKit and UIKit that don't have FoundationKVO's root.
  static let foreignClasses: Set<String> = [
    "Formatter", "NumberFormatter", "DateFormatter", "Thread", "Timer", "Stream", "InputStream",
    "OutputStream", "NSCoder", "URLProtocol", "NSPredicate", "ValueTransformer", "Bundle", "NSView",
    "NSViewController", "NSWindowController", "NSDocument", "NSResponder", "NSControl", "NSCell",
    "UIView", "UIViewController", "UIResponder", "UIControl", "UITableViewController",
    "UICollectionViewController", "UITableViewCell", "UserDefaults", "NSManagedObject",
    "XCTestCase",
  ]

  /// FoundationKVO's types that Foundation on Linux has, too.
  static let shadowedOnLinux: Set<String> = [
    "NSObject", "Operation", "BlockOperation", "OperationQueue", "Progress", "ProgressReporting",
    "UserDefaults", "NSExpression", "NSComparisonPredicate", "NSCompoundPredicate",
  ]

  /// The types of Foundation that FoundationKVO has under the same names.
  static let shadowed: Set<String> = [
    "NSObject", "Operation", "BlockOperation", "OperationQueue", "Progress", "UndoManager",
    "UserDefaults", "NSKeyValueObservation", "NSKeyValueObservingOptions", "NSKeyValueChange",
    "NSKeyValueChangeKey", "NSKeyValueObservedChange", "NSKeyValueSetMutationKind",
    "NSKeyValueOperator",
  ]
}
