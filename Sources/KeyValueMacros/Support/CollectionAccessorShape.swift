import SwiftSyntax

/// One of Cocoa's collection accessors, recognised by its Swift name.
struct CollectionAccessorShape {
  /// The capitalised key.
  let suffix: String
  /// The label of the schema builder's parameter that takes the accessor.
  let label: String

  /// The method's shape; nil if it isn't a collection accessor.
  static func of(_ method: ObservableMethod) -> CollectionAccessorShape? {
    method.unusableParameter == nil ? named(method) : nil
  }

  /// The shape that the method's name and labels suggest, whether an accessor can take its parameters or not.
  static func named(_ method: ObservableMethod) -> CollectionAccessorShape? {
    let types = method.parameters.map { ParameterShape($0, method.style) }
    switch types.count {
    case 0:
      return counting(method.name, method.result)
        ?? (method.style == .cocoa ? enumerating(method.name, method.result) : nil)
    case 1:
      return oneArgument(method.name, method.labels[0], types[0])
        ?? severalObjects(method, types[0])
    case 2: return twoArguments(method.name, method.labels, types)
    default: return nil
    }
  }

  private init(_ suffix: String, _ label: String) {
    self.suffix = suffix
    self.label = label
  }

  private static func counting(_ name: String, _ result: String?) -> Self? {
    guard result == "Int" || result == "Swift.Int" else { return nil }
    return name.suffix(after: "countOf").map { Self($0, "count") }
  }

  /// `enumeratorOf<Key>()`, with which Cocoa reads sets.
  private static func enumerating(_ name: String, _ result: String?) -> Self? {
    guard result == "NSEnumerator" else { return nil }
    return name.suffix(after: "enumeratorOf").map { Self($0, "enumerator") }
  }

  private static func oneArgument(_ name: String, _ label: String, _ type: ParameterShape)
    -> Self?
  {
    let selector = firstPiece(name, label)
    switch (label, type) {
    case (_, .index):
      if let suffix = selector.suffix(after: "objectIn")?.droppingAt("Index") {
        return Self(suffix, "objectAt")
      }
      if let suffix = selector.suffix(after: "removeObjectFrom")?.droppingAt("Index") {
        return Self(suffix, "removeAt")
      }
      return label == "_" ? singleObject(name) : nil
    case (_, .indexes):
      if let suffix = selector.suffix(after: "remove")?.droppingAt("Indexes") {
        return Self(suffix, "removeAtIndexes")
      }
      return label == "_" ? singleObject(name) : nil
    case ("_", .set): return setAlgebra(name)
    case ("_", _): return singleObject(name)
    default: return nil
    }
  }

  /// A method's name and first label, joined as in Objective-C: `objectInBooks(at:)` gives the same
  /// as `objectInBooksAtIndex(_:)`, less its "Index".
  private static func firstPiece(_ name: String, _ label: String) -> String {
    label == "_" ? name : name + label.capitalisedFirst
  }

  /// `<key>(at:)`, or `<key>AtIndexes(_:)`, which takes indexes and returns the elements there.
  private static func severalObjects(_ method: ObservableMethod, _ type: ParameterShape) -> Self? {
    guard case .indexes = type,
      let key = firstPiece(method.name, method.labels[0]).droppingAt("Indexes"),
      method.declaration.signature.returnClause?.type.is(ArrayTypeSyntax.self) == true
    else { return nil }
    return Self(key.capitalisedFirst, "objectsAt")
  }

  private static func singleObject(_ name: String) -> Self? {
    if let suffix = name.suffix(after: "add")?.dropping("Object") {
      return Self(suffix, "addObject")
    }
    return name.suffix(after: "remove")?.dropping("Object").map { Self($0, "removeObject") }
  }

  private static func setAlgebra(_ name: String) -> Self? {
    for (prefix, label) in [
      ("add", "addSet"), ("remove", "removeSet"), ("intersect", "intersectSet"), ("set", "setSet"),
    ] {
      if let suffix = name.suffix(after: prefix) { return Self(suffix, label) }
    }
    return nil
  }

  private static func twoArguments(
    _ name: String, _ labels: [String], _ types: [ParameterShape]
  ) -> Self? {
    let (first, second) = (firstPiece(name, labels[0]), labels[1])
    switch (labels[0], types[0], types[1]) {
    case ("_", .array, .indexes) where ["at", "atIndexes"].contains(second):
      return name.suffix(after: "insert").map { Self($0, "insertAtIndexes") }
    case (_, .indexes, .array):
      guard let suffix = first.suffix(after: "replace")?.droppingAt("Indexes"),
        second == "with" || second == "with" + suffix
      else { return nil }
      return Self(suffix, "replaceAtIndexes")
    case ("_", _, .index) where name == "insertObject":
      return second.suffix(after: "in")?.droppingAt("Index").map { Self($0, "insertAt") }
    case (_, .index, _) where ["with", "withObject"].contains(second):
      return first.suffix(after: "replaceObjectIn")?.droppingAt("Index").map {
        Self($0, "replaceAt")
      }
    default: return nil
    }
  }
}

/// The role of a parameter in a collection accessor, by its type's spelling.
private enum ParameterShape {
  case index, indexes, array, set, other

  init(_ parameter: FunctionParameterSyntax, _ style: ObservableStyle) {
    let type = parameter.type.trimmedDescription
    if type == "Int" || type == "Swift.Int" {
      self = .index
    } else if type.hasSuffix("RangeSet<Int>") || type.hasSuffix("RangeSet<Swift.Int>")
      || style == .cocoa && (type == "IndexSet" || type == "Foundation.IndexSet")
    {
      self = .indexes
    } else if parameter.type.is(ArrayTypeSyntax.self) || type.hasPrefix("Array<")
      || style == .cocoa && (type == "NSArray" || type == "Foundation.NSArray")
    {
      self = .array
    } else if type.hasPrefix("Set<") || type.hasPrefix("Swift.Set<")
      || style == .cocoa && (type == "NSSet" || type == "Foundation.NSSet")
    {
      self = .set
    } else {
      self = .other
    }
  }
}

extension String {
  /// The key before `At`, or before `AtIndex` and `AtIndexes`.
  fileprivate func droppingAt(_ noun: String) -> String? {
    dropping("At" + noun) ?? dropping("At")
  }

  /// The text before an ending, if it has that ending and something before it.
  fileprivate func dropping(_ ending: String) -> String? {
    hasSuffix(ending) && count > ending.count ? String(dropLast(ending.count)) : nil
  }
}
