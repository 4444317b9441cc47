import SwiftSyntax

/// A property's `@DependsOn` attributes.
struct DeclaredDependencies {
  /// One argument, with the path it names.
  struct Argument {
    enum Value {
      case string(String)
      case keyPath(String)
      /// A key path literal with a component that isn't a property, such as a subscript.
      case otherKeyPath
      /// Anything but a literal.
      case unreadable
    }

    let expression: ExprSyntax
    let value: Value
  }

  let attributes: [AttributeSyntax]
  let arguments: [Argument]

  /// Nil for a property without the attribute.
  init?(_ property: ObservableProperty) {
    attributes = property.attributes.filter { $0.plainName == EmittedNames.dependsOnAttribute }
    guard !attributes.isEmpty else { return nil }
    arguments = attributes.flatMap { attribute -> [Argument] in
      guard case .argumentList(let arguments) = attribute.arguments else { return [] }
      return arguments.map { Argument(expression: $0.expression, value: .init($0.expression)) }
    }
  }

  var strings: [String] {
    arguments.compactMap { if case .string(let path) = $0.value { path } else { nil } }
  }

  var keyPaths: [String] {
    arguments.compactMap { if case .keyPath(let path) = $0.value { path } else { nil } }
  }
}

extension DeclaredDependencies.Argument.Value {
  fileprivate init(_ expression: ExprSyntax) {
    if let text = expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue {
      self = .string(text)
    } else if let keyPath = expression.as(KeyPathExprSyntax.self)?.keyNames {
      self = .keyPath(keyPath.joined(separator: "."))
    } else {
      self = expression.is(KeyPathExprSyntax.self) ? .otherKeyPath : .unreadable
    }
  }
}

extension KeyPathExprSyntax {
  /// The names on the key path, without `?` and `!`; nil if a component has no name.
  var keyNames: [String]? {
    var names: [String] = []
    for component in components {
      switch component.component {
      case .property(let property): names.append(property.declName.baseName.plainName)
      case .optional: continue
      default: return nil
      }
    }
    return names.isEmpty ? nil : names
  }

  /// The key path with another name in place of its first; nil if its first component has none.
  func renamingFirst(_ name: String) -> KeyPathExprSyntax? {
    guard let index = components.indices.first,
      var property = components[index].component.as(KeyPathPropertyComponentSyntax.self)
    else { return nil }
    let old = property.declName.baseName
    property.declName.baseName = .identifier(
      name, leadingTrivia: old.leadingTrivia, trailingTrivia: old.trailingTrivia)
    var renamed = self
    renamed.components[index].component = .property(property)
    return renamed
  }
}
