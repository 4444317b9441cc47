/// A file and a line in one word, so that a registration can say where it was made.
///
/// The file is a literal, which lives as long as the program. Its address needs 48 bits; the other
/// 16 hold the line.
@frozen
@usableFromInline
package struct SourcePlace: Sendable, Hashable {
  @usableFromInline let bits: UInt64

  /// No place.
  @inlinable package static var unknown: SourcePlace { SourcePlace(bits: 0) }

  @inlinable
  init(bits: UInt64) {
    self.bits = bits
  }

  /// Creates a place; a line above 65,535 is stored as 65,535.
  @inlinable
  package init(_ file: StaticString, _ line: UInt) {
    guard file.hasPointerRepresentation else {
      self.init(bits: 0)
      return
    }
    self.init(address: UInt(bitPattern: file.utf8Start), line: line)
  }

  /// Creates a place from the address of a null-terminated text that lives as long as the program.
  @inlinable
  init(address: UInt, line: UInt) {
    let address = UInt64(address)
    // An address with more bits has a tag, or belongs to a larger address space.
    self.init(bits: address >> 48 == 0 ? address << 16 | UInt64(min(line, 0xFFFF)) : 0)
  }

  var isKnown: Bool { bits != 0 }
  var line: Int { Int(bits & 0xFFFF) }

  /// The module and the file: `App/View.swift`.
  var fileID: String {
    guard let start = UnsafePointer<CChar>(bitPattern: UInt(truncatingIfNeeded: bits >> 16)) else {
      return ""
    }
    // A literal is null-terminated.
    return String(cString: start)
  }
}
