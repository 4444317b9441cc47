/// How messages name things.
enum Words {
  /// A type with its article: “a Priority”, “an Int”.
  static func indefinite(_ type: Any.Type) -> String {
    indefinite(named: "\(type)")
  }

  /// A name with its article.
  static func indefinite(named name: String) -> String {
    let isVowel = name.first.map { "AEIOUaeiou".contains($0) } ?? false
    return (isVowel ? "an " : "a ") + name
  }
}

extension String {
  /// The text without spaces and tabs at its ends, as users type them.
  var trimmingSpaces: String {
    guard let start = firstIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
    let end = lastIndex { $0 != " " && $0 != "\t" } ?? start
    return String(self[start...end])
  }
}
