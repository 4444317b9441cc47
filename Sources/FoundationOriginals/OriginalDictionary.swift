import Foundation

/// Foundation's own methods of a dictionary, for which an extension in `FoundationKVO` stands in.
///
/// Inside that module, and in modules that import it, their names are the extension's.
package struct OriginalDictionary {
  private let dictionary: NSMutableDictionary

  package init(_ dictionary: NSMutableDictionary) { self.dictionary = dictionary }

  package func set(_ object: Any, _ key: AnyHashable) { dictionary.setObject(object, forKey: key) }

  package func remove(_ key: Any) { dictionary.removeObject(forKey: key) }

  package func removeAll() { dictionary.removeAllObjects() }
}
