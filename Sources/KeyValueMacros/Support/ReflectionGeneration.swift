import SwiftSyntax

extension ObservableClass {
  /// The schema statements for keys that the object's mirror omits, because reading a lazy property
  /// gives it its value.
  var reflection: [String] {
    properties.filter { $0.isKey && $0.declaration.modifiers.contains(.lazy) }.map { property in
      conditional("schema.unreflected(\(property.name.literal))", under: property.conditions)
    }
  }
}
