/// One of Cocoa's collection accessors, recognised by its Swift name.
struct CollectionAccessorShape {
  /// The capitalised key.
  let suffix: String
  /// The label of the schema builder's parameter that takes it.
  let label: String

  static func of(_ method: ObservableMethod) -> CollectionAccessorShape? {
    guard let name = method.labels.count <= 2 ? method.name : nil else { return nil }
    switch method.labels.count {
    case 0: return counting(name, method)
    case 1: return oneArgument(name, method.labels[0], method)
    default: return twoArguments(name, method.labels)
    }
  }

  private init(_ suffix: String, _ label: String) {
    self.suffix = suffix
    self.label = label
  }

  private static func counting(_ name: String, _ method: ObservableMethod) -> Self? {
    guard method.result == "Int" || method.result == "Swift.Int" else { return nil }
    return name.suffix(after: "countOf").map { Self($0, "count") }
  }

  private static func oneArgument(_ name: String, _ label: String, _ method: ObservableMethod)
    -> Self?
  {
    switch label {
    case "at":
      if let suffix = name.suffix(after: "objectIn") { return Self(suffix, "objectAt") }
      return name.suffix(after: "remove").map { Self($0, "removeAtIndexes") }
    case "_": return setAccessor(name)
    default:
      guard name == "removeObject", let inner = label.suffix(after: "from"),
        let suffix = inner.dropping("At")
      else { return nil }
      return Self(suffix, "removeAt")
    }
  }

  private static func setAccessor(_ name: String) -> Self? {
    if let suffix = name.suffix(after: "add")?.dropping("Object") { return Self(suffix, "addObject") }
    if let suffix = name.suffix(after: "remove")?.dropping("Object") {
      return Self(suffix, "removeObject")
    }
    for (prefix, label) in [
      ("add", "addSet"), ("remove", "removeSet"), ("intersect", "intersectSet"), ("set", "setSet"),
    ] {
      if let suffix = name.suffix(after: prefix) { return Self(suffix, label) }
    }
    return nil
  }

  private static func twoArguments(_ name: String, _ labels: [String]) -> Self? {
    switch (labels[0], labels[1]) {
    case ("_", "at"): return name.suffix(after: "insert").map { Self($0, "insertAtIndexes") }
    case ("at", "with"):
      return name.suffix(after: "replace").map { Self($0, "replaceAtIndexes") }
    case ("_", let label) where name == "insertObject":
      return label.suffix(after: "in")?.dropping("At").map { Self($0, "insertAt") }
    case (let label, "with") where name == "replaceObject":
      return label.suffix(after: "in")?.dropping("At").map { Self($0, "replaceAt") }
    default: return nil
    }
  }
}

extension String {
  /// The text before an ending, if it has that ending and something before it.
  fileprivate func dropping(_ ending: String) -> String? {
    hasSuffix(ending) && count > ending.count ? String(dropLast(ending.count)) : nil
  }
}
