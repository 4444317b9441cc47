import KeyValueObserving

extension Scenario {
  func register(_ verb: Substring, _ words: [Substring]) throws {
    let object = try object(words[0])
    switch verb {
    case "observe":
      try object.addObserver(
        observer(words[3]), forKeyPath: String(words[1]), options: try options(words[2]),
        context: words.count == 5 ? context(words[4]) : nil)
    case "remove" where words.count == 4:
      try object.removeObserver(
        observer(words[2]), forKeyPath: String(words[1]), context: context(words[3]))
    case "remove":
      try object.removeObserver(observer(words[2]), forKeyPath: String(words[1]))
    case "observeall":
      try elements(of: object, words[1]).addObserver(
        observer(words[5]), toObjectsAt: indexes(words[2]), forKeyPath: String(words[3]),
        options: try options(words[4]))
    case "removeall":
      try elements(of: object, words[1]).removeObserver(
        observer(words[4]), fromObjectsAt: indexes(words[2]), forKeyPath: String(words[3]))
    default: say("= " + (object.observationInfo.isEmpty ? "unobserved" : "observed"))
    }
  }

  private func elements(of object: any ScenarioModel, _ key: Substring) throws -> [Person] {
    guard let elements = try object.value(forKey: String(key)) as? [Person] else {
      throw Misspelt(command: String(key))
    }
    return elements
  }

  private func options(_ words: Substring) throws -> KeyValueObservingOptions {
    let known: [Substring: KeyValueObservingOptions] = [
      "none": [], "new": .new, "old": .old, "initial": .initial, "prior": .prior,
      "all": [.new, .old, .initial, .prior],
    ]
    return try words.split(separator: ",").reduce(into: []) { options, word in
      guard let option = known[word] else { throw Misspelt(command: String(word)) }
      options.formUnion(option)
    }
  }

  /// A number that stands for an address and is never dereferenced.
  private func context(_ word: Substring) -> UnsafeMutableRawPointer? {
    Int(word).flatMap { UnsafeMutableRawPointer(bitPattern: $0) }
  }

  func indexes(_ word: Substring) -> RangeSet<Int> {
    word.split(separator: ",").reduce(into: RangeSet()) { indexes, word in
      let index = Int(word)!
      indexes.insert(contentsOf: index..<index + 1)
    }
  }

  func announce(_ verb: Substring, _ words: [Substring]) throws {
    let object = try object(words[0])
    let key = String(words[1])
    if words.count == 2 {
      verb == "will" ? object.willChangeValue(forKey: key) : object.didChangeValue(forKey: key)
      return
    }
    let kinds: [Substring: KeyValueChangeKind] = [
      "insertion": .insertion, "removal": .removal, "replacement": .replacement,
    ]
    if let kind = kinds[words[2]] {
      let indexes = indexes(words[3])
      verb == "will"
        ? object.willChange(kind, valuesAt: indexes, forKey: key)
        : object.didChange(kind, valuesAt: indexes, forKey: key)
      return
    }
    let mutations: [Substring: KeyValueSetMutationKind] = [
      "union": .union, "minus": .minus, "intersect": .intersect, "set": .set,
    ]
    guard let mutation = mutations[words[2]],
      let elements = try literals.value(words[3]) as? Set<AnyHashable>
    else { throw Misspelt(command: String(words[2])) }
    verb == "will"
      ? object.willChangeValue(forKey: key, withSetMutation: mutation, using: elements)
      : object.didChangeValue(forKey: key, withSetMutation: mutation, using: elements)
  }
}
