import KeyValueObserving

// Collections that may be nil.
extension Executor {
  func assignOptional(_ node: FuzzNode, _ key: String, _ value: FuzzValue) {
    let targets = objects(value, key)
    let numbers = value.elements?.map(\.integer)
    switch key {
    case "crew": node.crew = value == .none ? nil : targets
    case "wishes": node.wishes = numbers
    case "signs": node.signs = numbers.map { Set($0) }
    default: break
    }
    withExtendedLifetime(targets) {}
  }

  /// Does nothing to a collection that is nil.
  func editOptionalInPlace(_ node: FuzzNode, _ key: String, _ edit: Edit) {
    guard hasCollection(node, key),
      let edit = resolved(edit, key, count: count(ofOptional: key, node))
    else { return }
    let numbers = edit.entering.elements?.map(\.integer) ?? []
    let kept = Kept(key == "crew" ? node.crew ?? [] : [])
    let entering = Kept(objects(edit.entering, key))
    switch (key, edit) {
    case ("crew", _): modify(&node.crew!, edit, objects(edit.entering, key), number: \.serial)
    case ("wishes", _): modify(&node.wishes!, edit, numbers, number: \.self)
    case ("signs", .algebra(let kind, _)): modify(&node.signs!, kind, Set(numbers))
    default: break
    }
    kept.letGo()
    entering.letGo()
  }

  /// Assigns a changed copy, of an empty collection where there is none.
  func editOptionalCopy(_ node: FuzzNode, _ key: String, _ edit: Edit) {
    guard let edit = resolved(edit, key, count: count(ofOptional: key, node)) else { return }
    let kept = Kept(key == "crew" ? node.crew ?? [] : [])
    let entering = Kept(objects(edit.entering, key))
    switch key {
    case "crew":
      var crew = node.crew ?? []
      modify(&crew, edit, objects(edit.entering, key), number: \.serial)
      node.crew = crew
    case "wishes":
      var wishes = node.wishes ?? []
      modify(&wishes, edit, edit.entering.elements?.map(\.integer) ?? [], number: \.self)
      node.wishes = wishes
    default: break
    }
    kept.letGo()
    entering.letGo()
  }

  func editOptionalProxy(_ node: FuzzNode, _ key: String, _ edit: Edit) {
    guard let edit = resolved(edit, key, count: count(ofOptional: key, node)) else { return }
    let numbers = edit.entering.elements?.map(\.integer) ?? []
    let kept = key == "crew" ? node.crew : nil
    let entering = objects(edit.entering, key)
    reportingErrors {
      switch (key, edit) {
      case ("crew", _): apply(edit, entering, to: try node.mutableArrayValue(forKey: key))
      case ("wishes", _): apply(edit, numbers, to: try node.mutableArrayValue(forKey: key))
      case ("signs", .algebra(let kind, _)):
        apply(kind, numbers, to: try node.mutableSetValue(forKey: key))
      default: break
      }
    }
    withExtendedLifetime((kept, entering)) {}
  }

  private func hasCollection(_ node: FuzzNode, _ key: String) -> Bool {
    switch key {
    case "crew": node.crew != nil
    case "wishes": node.wishes != nil
    default: node.signs != nil
    }
  }

  private func count(ofOptional key: String, _ node: FuzzNode) -> Int {
    switch key {
    case "crew": node.crew?.count ?? 0
    case "wishes": node.wishes?.count ?? 0
    default: node.signs?.count ?? 0
    }
  }
}
