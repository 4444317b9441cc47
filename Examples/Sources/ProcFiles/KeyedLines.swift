// Splitting bytes is many times faster than splitting characters, and the relevant parts of these
// files are ASCII.

/// The parts of a text between blanks and line ends.
func words(_ text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
  text.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\t") }
}

/// The lines of a text such as `MemTotal:   24684096 kB`, by the word before the colon.
struct KeyedLines {
  private var values: [String: ArraySlice<UInt8>] = [:]

  init(_ text: [UInt8]) {
    for line in text.split(separator: UInt8(ascii: "\n")) {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
      values[String(decoding: line[..<colon], as: UTF8.self)] = line[(colon + 1)...]
    }
  }

  /// A value given in kibibytes, in bytes.
  func bytes(_ key: String) -> Int? {
    guard
      let value = values[key], let number = words(value).first,
      let kibibytes = Int(String(decoding: number, as: UTF8.self)), kibibytes >= 0
    else { return nil }
    return product(kibibytes, 1024)
  }
}
