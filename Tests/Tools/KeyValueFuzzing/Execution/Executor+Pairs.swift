import KeyValueObserving

// Changes between the two calls that announce them.
extension Executor {
  func assign(_ node: FuzzNode, _ pairing: Pairing) {
    let (first, second) = (pairing.first, pairing.second)
    will(node, first)
    will(node, second)
    assign(node, first)
    assign(node, second)
    did(node, pairing.isCrossed ? first : second)
    did(node, pairing.isCrossed ? second : first)
  }

  private func will(_ node: FuzzNode, _ part: Pairing.Part) {
    switch (part.key, part.isTyped) {
    case ("pulse", true): node.willChangeValue(for: \.pulse)
    case ("phase", true): node.willChangeValue(for: \.phase)
    default: node.willChangeValue(forKey: part.key)
    }
  }

  private func did(_ node: FuzzNode, _ part: Pairing.Part) {
    switch (part.key, part.isTyped) {
    case ("pulse", true): node.didChangeValue(for: \.pulse)
    case ("phase", true): node.didChangeValue(for: \.phase)
    default: node.didChangeValue(forKey: part.key)
    }
  }

  private func assign(_ node: FuzzNode, _ part: Pairing.Part) {
    switch part.key {
    case "pulse": node.pulse = part.value
    case "phase": node.phase = part.value
    default: break
    }
  }
}
