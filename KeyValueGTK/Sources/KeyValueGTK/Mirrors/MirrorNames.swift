import CGtk4

/// The names of classes and keys in GObject, which has fewer letters than Swift.
enum MirrorNames {
  /// A key's name as that of a property; nil if GObject has no such name.
  ///
  /// A property's name has the letters and digits of ASCII, and `-`, which GObject also writes `_`.
  static func property(_ key: String) -> String? {
    let name = String(key.map { $0 == "_" ? "-" : $0 })
    return g_param_spec_is_valid_name(name) != 0 ? name : nil
  }

  /// Whether GObject allows a name of a type: at least three letters, digits, or `-`, `_` and `+`.
  static func isValid(_ name: String) -> Bool {
    guard name.utf8.count >= 3, let first = name.utf8.first, isLetter(first) || first == 0x5F
    else { return false }
    return name.utf8.allSatisfy { isLetter($0) || isDigit($0) || [0x2D, 0x5F, 0x2B].contains($0) }
  }

  /// The name of a Swift class that isn't taken: the class's own, then with its module and the types that it's
  /// in, then with a number.
  ///
  /// What GObject doesn't allow is a hyphen: `Box<Int>` is `Box-Int`.
  static func free(for type: Any.Type) -> String {
    let short = allowed("\(type)")
    if isValid(short), !isReserved(short), g_type_from_name(short) == 0 { return short }
    var full = allowed(String(reflecting: type))
    if !isValid(full) { full = "Kvo-" + full }
    guard g_type_from_name(full) != 0 else { return full }
    var number = 2
    while g_type_from_name("\(full)-\(number)") != 0 { number += 1 }
    return "\(full)-\(number)"
  }

  /// Whether a name may be that of a class of GTK's libraries, which are registered when they're first used.
  private static func isReserved(_ name: String) -> Bool {
    if ["Gtk", "Gdk", "Gsk", "Pango", "Adw", "Kvo"].contains(where: name.hasPrefix) { return true }
    return name.first == "G" && name.dropFirst().first?.isUppercase == true
  }

  private static func allowed(_ name: String) -> String {
    var result: [UInt8] = []
    for letter in name.utf8 {
      if isLetter(letter) || isDigit(letter) || letter == 0x5F {
        result.append(letter)
      } else if result.last != 0x2D {
        result.append(0x2D)
      }
    }
    if result.last == 0x2D { result.removeLast() }
    return String(decoding: result, as: UTF8.self)
  }

  private static func isLetter(_ letter: UInt8) -> Bool {
    (0x41...0x5A).contains(letter) || (0x61...0x7A).contains(letter)
  }

  private static func isDigit(_ letter: UInt8) -> Bool { (0x30...0x39).contains(letter) }
}
