import SwiftSyntax

/// One of Cocoa's collection accessors, recognised by its Swift name.
struct CollectionAccessorShape {
  /// The capitalised key.
  let suffix: String
  /// The label of the schema builder's parameter that takes it.
  let label: String

  /// The shape of a method, nil for one that is no collection accessor.
  static func of(_ method: ObservableMethod) -> CollectionAccessorShape? {
    let types = method.parameters.map(ParameterShape.init)
    switch types.count {
    case 0: return counting(method.name, method.result)
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

  private static func oneArgument(_ name: String, _ label: String, _ type: ParameterShape)
    -> Self?
  {
    switch (label, type) {
    case ("at", .index): return name.suffix(after: "objectIn").map { Self($0, "objectAt") }
    case ("at", .indexes): return name.suffix(after: "remove").map { Self($0, "removeAtIndexes") }
    case ("_", .set): return setAlgebra(name)
    case ("_", .unusable): return nil
    case ("_", _): return singleObject(name)
    case (_, .index):
      guard name == "removeObject" else { return nil }
      return label.suffix(after: "from")?.dropping("At").map { Self($0, "removeAt") }
    default: return nil
    }
  }

  /// `<key>(at:)` with a set of indexes, which answers the elements that have them.
  private static func severalObjects(_ method: ObservableMethod, _ type: ParameterShape) -> Self? {
    guard case ("at", .indexes) = (method.labels[0], type),
      method.declaration.signature.returnClause?.type.is(ArrayTypeSyntax.self) == true
    else { return nil }
    return Self(method.name.capitalisedFirst, "objectsAt")
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
    switch (labels[0], labels[1], types[0], types[1]) {
    case ("_", "at", .array, .indexes):
      return name.suffix(after: "insert").map { Self($0, "insertAtIndexes") }
    case ("at", "with", .indexes, .array):
      return name.suffix(after: "replace").map { Self($0, "replaceAtIndexes") }
    case ("_", let label, _, .index) where name == "insertObject":
      return label.suffix(after: "in")?.dropping("At").map { Self($0, "insertAt") }
    case (let label, "with", .index, _) where name == "replaceObject":
      return label.suffix(after: "in")?.dropping("At").map { Self($0, "replaceAt") }
    default: return nil
    }
  }
}

/// What the spelling of a parameter's type says about its part in a collection accessor.
private enum ParameterShape {
  case index, indexes, array, set, other, unusable

  init(_ parameter: FunctionParameterSyntax) {
    let type = parameter.type.trimmedDescription
    if parameter.ellipsis != nil || type.hasPrefix("some ") || type.hasPrefix("inout ") {
      self = .unusable
    } else if type == "Int" || type == "Swift.Int" {
      self = .index
    } else if type.hasSuffix("RangeSet<Int>") || type.hasSuffix("RangeSet<Swift.Int>") {
      self = .indexes
    } else if parameter.type.is(ArrayTypeSyntax.self) || type.hasPrefix("Array<") {
      self = .array
    } else if type.hasPrefix("Set<") || type.hasPrefix("Swift.Set<") {
      self = .set
    } else {
      self = .other
    }
  }
}

extension String {
  /// The text before an ending, if it has that ending and something before it.
  fileprivate func dropping(_ ending: String) -> String? {
    hasSuffix(ending) && count > ending.count ? String(dropLast(ending.count)) : nil
  }
}
