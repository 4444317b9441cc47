/// The reader's keys, without the escape sequences of cursor and function keys.
package enum Keys {
  package static func typed(_ bytes: [UInt8]) -> [Character] {
    var keys: [Character] = []
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      guard byte == 0x1B, let next = rest.first else {
        if byte < 0x80 { keys.append(Character(Unicode.Scalar(byte))) }
        continue
      }
      // ESC [ parameters final, ESC O final, or ESC and the key pressed with Alt.
      rest.removeFirst()
      if next == UInt8(ascii: "[") {
        while let byte = rest.popFirst(), !(0x40...0x7E).contains(byte) {}
      } else if next == UInt8(ascii: "O") {
        _ = rest.popFirst()
      }
    }
    return keys
  }

  package static let controlC: Character = "\u{03}"
  package static let controlZ: Character = "\u{1A}"
}
