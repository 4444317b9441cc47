extension KeyValueGraph {
  /// The graph in Mermaid's language, which GitHub and other sites render.
  public var mermaid: String {
    let names = names
    var lines = ["graph LR"]
    for node in nodes where node.parent == nil {
      let name = names[node.id] ?? ""
      let parts = parts(of: node)
      if node.kind == .type || node.kind == .object, !parts.isEmpty {
        lines.append("  subgraph \(name)[\"\(quoted(node.label))\"]")
        for part in parts { lines.append("    \(names[part.id] ?? "")[\"\(quoted(part.label))\"]") }
        lines.append("  end")
      } else {
        let (left, right) = node.kind == .binding ? ("{{", "}}") : ("([", "])")
        lines.append("  \(name)\(left)\"\(quoted(node.text))\"\(right)")
      }
    }
    for edge in edges {
      let label = edge.label.map { "|\"\(quoted($0))\"|" } ?? ""
      lines.append(
        "  \(names[edge.source] ?? "") \(edge.kind.arrow)\(label) \(names[edge.target] ?? "")")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The graph in DOT, Graphviz's language.
  public var dot: String {
    let names = names
    var lines = ["digraph {", "  rankdir=LR"]
    for node in nodes where node.parent == nil {
      let name = names[node.id] ?? ""
      let parts = parts(of: node)
      if node.kind == .type || node.kind == .object, !parts.isEmpty {
        lines.append("  subgraph cluster_\(name) {")
        lines.append("    label=\(literal(node.label))")
        for part in parts {
          lines.append("    \(names[part.id] ?? "") [shape=box, label=\(literal(part.label))]")
        }
        lines.append("  }")
      } else {
        let shape = node.kind == .binding ? "hexagon" : "oval"
        lines.append("  \(name) [shape=\(shape), label=\(literal(node.text))]")
      }
    }
    for edge in edges {
      var attributes = ["style=\(edge.kind.style)"]
      if let label = edge.label { attributes.append("label=\(literal(label))") }
      lines.append(
        "  \(names[edge.source] ?? "") -> \(names[edge.target] ?? "")"
          + " [\(attributes.joined(separator: ", "))]")
    }
    return lines.joined(separator: "\n") + "\n}\n"
  }

  /// The graph as JSON: `{"nodes": [{"id", "kind", "label", "parent", "place"}], "edges":
  /// [{"source", "target", "kind", "label"}]}`; nil members are omitted.
  public var json: String {
    let nodes = nodes.map { node in
      object([
        ("id", node.id), ("kind", node.kind.rawValue), ("label", node.label),
        ("parent", node.parent), ("place", node.place),
      ])
    }
    let edges = edges.map { edge in
      object([
        ("source", edge.source), ("target", edge.target), ("kind", edge.kind.rawValue),
        ("label", edge.label),
      ])
    }
    return "{\"nodes\": [" + nodes.joined(separator: ", ") + "], \"edges\": ["
      + edges.joined(separator: ", ") + "]}"
  }

  // MARK: Parts

  /// Short names by node ID, because neither language accepts arbitrary text as a name.
  private var names: [String: String] {
    Dictionary(uniqueKeysWithValues: nodes.enumerated().map { ($1.id, "n\($0)") })
  }

  private func parts(of node: Node) -> [Node] { nodes.filter { $0.parent == node.id } }

  /// Escapes a text for Mermaid, whose only escapes are HTML entities.
  private func quoted(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\"": result += "#quot;"
      case "#": result += "#35;"
      case "<": result += "#lt;"
      case ">": result += "#gt;"
      case "\n": result += " "
      default: result.append(character)
      }
    }
    return result
  }

  private func object(_ members: [(String, String?)]) -> String {
    let texts = members.compactMap { key, value in value.map { "\"\(key)\": \(literal($0))" } }
    return "{" + texts.joined(separator: ", ") + "}"
  }

  /// A text as a JSON or DOT string literal.
  private func literal(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      default:
        if scalar.value < 0x20 {
          let digits = String(scalar.value, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result + "\""
  }
}

extension KeyValueGraph: CustomStringConvertible {
  /// The graph in Mermaid's language.
  public var description: String { mermaid }
}

extension KeyValueGraph.Node {
  /// The label, followed by the place if there is one.
  fileprivate var text: String { place.map { "\(label), \($0)" } ?? label }
}

extension KeyValueGraph.Edge.Kind {
  fileprivate var arrow: String {
    switch self {
    case .dependency: "-->"
    case .observation: "-.->"
    case .hop: "==>"
    case .binding: "--o"
    }
  }

  fileprivate var style: String {
    switch self {
    case .dependency: "solid"
    case .observation: "dashed"
    case .hop: "bold"
    case .binding: "dotted"
    }
  }
}
