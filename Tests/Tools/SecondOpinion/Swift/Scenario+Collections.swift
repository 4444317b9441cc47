import KeyValueObserving

extension Scenario {
  func changeArray(_ words: [Substring]) throws {
    let proxy = try object(words[0]).mutableArrayValue(forKeyPath: String(words[1]))
    let operands = Array(words.dropFirst(3))
    switch (words[2], operands.count) {
    case ("read", 0): say("= " + literals.text(Array(proxy)))
    case ("add", 1): proxy.append(try element(operands[0]))
    case ("insert", 2): proxy.insert(try element(operands[1]), at: Int(operands[0])!)
    case ("remove", 1): proxy.remove(at: Int(operands[0])!)
    case ("replace", 2): proxy[Int(operands[0])!] = try element(operands[1])
    case ("exchange", 2): proxy.swapAt(Int(operands[0])!, Int(operands[1])!)
    case ("addall", 1): proxy.append(contentsOf: try elements(operands[0]))
    case ("insertall", 2):
      proxy.insert(contentsOf: try elements(operands[1]), at: indexes(operands[0]))
    case ("removeall", 1): proxy.remove(at: indexes(operands[0]))
    case ("replaceall", 2):
      let ranges = indexes(operands[0]).ranges
      guard ranges.count == 1 else { throw Misspelt(command: "replaceall") }
      proxy.replaceSubrange(ranges[0], with: try elements(operands[1]))
    case ("clear", 0): proxy.removeAll()
    case ("set", 1): proxy.replaceSubrange(0..<proxy.count, with: try elements(operands[0]))
    default: throw Misspelt(command: words.joined(separator: " "))
    }
  }

  func changeSet(_ words: [Substring]) throws {
    let proxy = try object(words[0]).mutableSetValue(forKeyPath: String(words[1]))
    let operands = words.count == 4 ? try literals.value(words[3]) : nil
    let members = operands as? Set<AnyHashable> ?? []
    switch words[2] {
    case "read": say("= " + literals.text(Set(proxy)))
    case "add": proxy.insert(try member(operands))
    case "remove": proxy.remove(try member(operands))
    case "union": proxy.formUnion(members)
    case "minus": proxy.subtract(members)
    case "intersect": proxy.formIntersection(members)
    case "set": proxy.replaceAll(with: members)
    case "clear": proxy.removeAll()
    default: throw Misspelt(command: words.joined(separator: " "))
    }
  }

  private func element(_ word: Substring) throws -> Any {
    guard let element = try literals.value(word) else { throw Misspelt(command: String(word)) }
    return element
  }

  private func elements(_ word: Substring) throws -> [Any] {
    guard let elements = try literals.value(word) as? [Any] else {
      throw Misspelt(command: String(word))
    }
    return elements
  }

  private func member(_ value: Any?) throws -> AnyHashable {
    guard let member = value as? AnyHashable else { throw Misspelt(command: "no element") }
    return member
  }
}
