import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

extension FixIt {
  /// Replaces one node with another.
  static func replace(
    _ message: String, _ old: some SyntaxProtocol, by new: some SyntaxProtocol
  ) -> FixIt {
    FixIt(
      message: FixItText(message), changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
  }

  /// Adds an attribute before a property's others.
  static func add(_ attribute: String, to variable: VariableDeclSyntax) -> FixIt {
    var changed = variable
    let written = AttributeSyntax("\(raw: attribute)").with(\.trailingTrivia, .space)
    let leading = variable.leadingTrivia
    changed = changed.with(\.leadingTrivia, [])
    changed.attributes.insert(.attribute(written), at: changed.attributes.startIndex)
    return replace("add '\(attribute)'", variable, by: changed.with(\.leadingTrivia, leading))
  }

  /// Adds `dynamic` to a property's modifiers.
  static func addDynamic(to variable: VariableDeclSyntax) -> FixIt {
    var changed = variable
    changed.modifiers.append(
      DeclModifierSyntax(name: .keyword(.dynamic, trailingTrivia: .space)))
    return replace("add 'dynamic'", variable, by: changed)
  }

  /// Removes a modifier and the following space; the token behind it takes its place in the line.
  static func removeModifier(
    _ modifier: DeclModifierSyntax, from variable: VariableDeclSyntax
  ) -> FixIt {
    var changed = variable
    var kept = Array(variable.modifiers)
    if let index = kept.firstIndex(where: { $0.id == modifier.id }) {
      kept.remove(at: index)
      if kept.indices.contains(index) {
        kept[index].leadingTrivia = modifier.leadingTrivia
      } else {
        changed.bindingSpecifier.leadingTrivia = modifier.leadingTrivia
      }
    }
    changed.modifiers = DeclModifierListSyntax(kept)
    return replace("remove '\(modifier.trimmedDescription)'", variable, by: changed)
  }

  /// Removes an attribute and the following space.
  static func remove(_ attribute: AttributeSyntax) -> FixIt {
    let nothing = TokenSyntax.identifier("", leadingTrivia: attribute.leadingTrivia)
    return replace("remove '@\(attribute.plainName)'", attribute, by: nothing)
  }
}

extension VariableDeclSyntax {
  /// The declaration as one `var` for each binding.
  var split: [VariableDeclSyntax] {
    // `var a, b: Int` gives both the type.
    var type: TypeAnnotationSyntax?
    var single: [VariableDeclSyntax] = []
    for binding in bindings.reversed() {
      let comma = binding.trailingComma?.trailingTrivia ?? []
      var binding = binding.with(\.trailingComma, nil)
      let comment = (binding.trailingTrivia + comma).comment
      if let own = binding.typeAnnotation {
        type = own
      } else if binding.initializer == nil, let type {
        binding = binding.with(\.typeAnnotation, type.with(\.trailingTrivia, []))
          .with(\.pattern, binding.pattern.with(\.trailingTrivia, []))
      } else {
        type = nil
      }
      binding = binding.with(\.leadingTrivia, []).with(\.trailingTrivia, comment)
      single.insert(with(\.bindings, [binding]), at: 0)
    }
    return single
  }
}

extension Trivia {
  /// The trivia up to the last comment in it; empty without one.
  fileprivate var comment: Trivia {
    Trivia(pieces: reversed().drop { !$0.isComment }.reversed())
  }
}
