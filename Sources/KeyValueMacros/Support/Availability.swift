import SwiftSyntax

extension AttributeSyntax {
  /// The words of an `@available` attribute, without its message; empty for any other attribute.
  private var availability: [String] {
    guard plainName == "available", let arguments else { return [] }
    return arguments.tokens(viewMode: .sourceAccurate).compactMap { token in
      if case .stringSegment = token.tokenKind { nil } else { token.text }
    }
  }

  /// Whether this is `@available` with `deprecated`.
  var isDeprecation: Bool { availability.contains("deprecated") }

  /// Whether some code can't use the declaration, and no condition tells which.
  var isRestriction: Bool {
    let words = availability
    let isHarmless = words.contains("deprecated") || words.contains("noasync")
    return !words.isEmpty && conditionOfAvailability == nil
      && !(isHarmless && Set(words).isDisjoint(with: ["introduced", "obsoleted", "unavailable"]))
  }

  /// Whether no code can use the declaration.
  var isUnavailability: Bool {
    availability.contains("unavailable") && conditionOfAvailability == nil
  }

  /// The condition on which code can use a declaration that's unavailable on one system or from one version of
  /// Swift on, as with `@available(tvOS, unavailable)` or `@available(swift, obsoleted: 5)`; nil for any other
  /// attribute.
  ///
  /// No condition tells an app from its extensions, as `tvOSApplicationExtension` does.
  var conditionOfAvailability: String? {
    let words = availability
    guard let platform = words.first else { return nil }
    if platform == "swift" { return version("obsoleted").map { "!swift(>=\($0))" } }
    guard words.contains("unavailable") else { return nil }
    return Self.systems[platform.replacing("ApplicationExtension", with: "")]
  }

  /// The condition on which code that is compiled may use a declaration, as with `@available(macOS 26, *)`; nil if
  /// none is needed, or none tells.
  var conditionAtRunTime: String? {
    guard plainName == "available", case .availability(let list) = arguments else { return nil }
    let entries = list.map(\.argument.trimmedDescription)
    if entries.last == "*" {
      // `macOS 26, iOS 26, *`
      let haveVersions = entries.dropLast().allSatisfy { $0.last?.isNumber == true }
      return haveVersions && entries.count > 1
        ? "#available(\(entries.joined(separator: ", ")))" : nil
    }
    // `macOS, introduced: 26`
    guard let platform = entries.first, !["*", "swift"].contains(platform),
      let version = self.version("introduced")
    else { return nil }
    return "#available(\(platform) \(version), *)"
  }

  /// The version behind a label of `@available`, as in `introduced: 26`.
  private func version(_ label: String) -> String? {
    guard plainName == "available", case .availability(let list) = arguments else { return nil }
    let entries = list.map(\.argument.trimmedDescription)
    guard let entry = entries.first(where: { $0.hasPrefix(label + ":") }),
      let version = entry.split(whereSeparator: { $0 == ":" || $0 == " " }).last,
      version.first?.isNumber == true
    else { return nil }
    return String(version)
  }

  private static let systems = [
    "macOS": "!os(macOS)", "OSX": "!os(macOS)", "tvOS": "!os(tvOS)", "watchOS": "!os(watchOS)",
    "visionOS": "!os(visionOS)", "Windows": "!os(Windows)", "Android": "!os(Android)",
    "macCatalyst": "!targetEnvironment(macCatalyst)",
    // What iOS lacks, visionOS lacks too.
    "iOS": "!os(iOS) && !os(visionOS)",
  ]
}
