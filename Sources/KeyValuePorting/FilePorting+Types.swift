import SwiftSyntax

// What becomes of a class, and of attributes.
extension FilePorting {
  func annotate(_ node: ClassDeclSyntax) {
    let hasAttribute = node.attributes.has("KeyValueObservable")
    if hasAttribute { return }
    if scopes.contains(where: \.isFunction) {
      return remark(
        node,
        "'\(node.name.text)' is declared in a function, where a class can't be @KeyValueObservable: "
          + "move it out if it has keys")
    }
    insert(
      .attributes, "@KeyValueObservable\n\(node.leadingTrivia.indentation)",
      at: node.positionAfterSkippingLeadingTrivia)
    if !scopes.isEmpty { widen(node) }
    let actor = node.attributes.lazy.compactMap { $0.as(AttributeSyntax.self)?.name }
      .first { $0.hasSuffix("Actor") }
    if let actor, node.declarations.contains(where: \.isKey) {
      remark(
        node,
        "'\(node.name.text)' is isolated to @\(actor), and NSObject is not: put @\(actor) on the methods "
          + "that need it")
    }
  }

  /// Imports the attribute in a file that imports nothing with which it comes.
  func importAttribute(_ file: SourceFileSyntax) {
    guard edits.contains(where: { $0.kind == .attributes }), let first = file.statements.first
    else { return }
    let place = first.placeOfImport.utf8Offset
    let end = first.item.is(ImportDeclSyntax.self) ? "\n" : "\n\n"
    // The first edit, so that it stands in front of an attribute at the same place.
    edits.insert(
      SourceEdit(
        kind: .imports, range: place..<place, replacement: "import FoundationKVO" + end),
      at: 0)
  }

  func addSendable(_ node: ClassDeclSyntax) {
    guard let inherited = node.inheritanceClause?.inheritedTypes, let last = inherited.last,
      !inherited.contains(where: { $0.trimmedDescription.contains("Sendable") })
    else { return }
    insert(
      .sendable, ", @unchecked Sendable", at: last.type.endPositionBeforeTrailingTrivia)
  }

  /// A class with keys that doesn't have FoundationKVO's root.
  func checkSuperclass(_ node: ClassDeclSyntax) {
    let observes = node.declarations.first {
      $0.as(FunctionDeclSyntax.self)?.name.text == "observeValue"
    }
    let inherited = (node.superclassName?.split(separator: ".").last).map(String.init)
    if let observes, !classes.knows(node.superclassName ?? "") {
      let isElsewhere =
        inherited.map { !Mend.foreignClasses.contains($0) && $0 != "NSObject" } ?? false
      remark(
        observes,
        isElsewhere
          ? "'\(inherited ?? "")' isn't among these files: if it doesn't have FoundationKVO's root, "
            + "observe with an NSObject that '\(node.name.text)' owns"
          : "'\(node.name.text)' doesn't have FoundationKVO's root: observe with an NSObject that it owns"
      )
    }
    guard node.declarations.contains(where: \.isDynamicMember) else { return }
    guard let written = node.superclassName else {
      return remark(
        node,
        "'\(node.name.text)' has dynamic members and no superclass: let it inherit from NSObject")
    }
    let superclass = written.split(separator: ".").last.map(String.init) ?? written
    if Mend.foreignClasses.contains(superclass) {
      remark(
        node,
        "'\(superclass)' doesn't have FoundationKVO's root, so '\(node.name.text)' can't be observed: keep "
          + "the keys in an NSObject that it owns")
    } else if !classes.knows(superclass) {
      remark(
        node,
        "'\(superclass)' isn't among these files: if it inherits from NSObject, put @KeyValueObservable in "
          + "front of '\(node.name.text)'; otherwise let it inherit from NSObject")
    }
  }

  func removeAttributes(_ attributes: AttributeListSyntax, of name: String, isType: Bool) {
    if attributes.isInLeftProtocol { return }
    for element in attributes {
      guard let attribute = element.as(AttributeSyntax.self) else { continue }
      switch attribute.name {
      case "objc" where !isType && attribute.selector ?? name != name:
        remark(
          attribute,
          "the key of '\(name)' is '\(attribute.selector ?? "")': name the property so, and remove @objc"
        )
      case "NSManaged":
        remark(attribute, "there is no Core Data: declare '\(name)' dynamic, with a value")
      case "NSApplicationMain", "UIApplicationMain":
        remark(attribute, "write the program's own start, @main or main.swift")
      default: if attribute.isRemoved { remove(.objectiveC, attribute) }
      }
    }
  }
}

extension CodeBlockItemSyntax {
  /// Where an import stands in front of a file's first statement: behind the file's own comments.
  fileprivate var placeOfImport: AbsolutePosition {
    let pieces = leadingTrivia.pieces
    let end =
      pieces.firstIndex(where: \.isDocumentation)
      ?? pieces.lastIndex(where: \.hasEmptyLine).map { $0 + 1 } ?? pieces.endIndex
    return position + Trivia(pieces: pieces[..<end]).sourceLength
  }
}

extension TriviaPiece {
  fileprivate var isDocumentation: Bool {
    switch self {
    case .docLineComment, .docBlockComment: true
    default: false
    }
  }

  fileprivate var hasEmptyLine: Bool {
    switch self {
    case .newlines(let count), .carriageReturnLineFeeds(let count): count > 1
    default: false
    }
  }
}
