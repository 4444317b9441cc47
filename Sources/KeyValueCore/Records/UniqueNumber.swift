/// 128 random bits in the form of a UUID, version 4.
///
/// The core imports no Foundation, so it makes, prints and reads them itself.
struct UniqueNumber: Hashable, Sendable {
  let high: UInt64
  let low: UInt64

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Creates a random number.
  init() {
    var generator = SystemRandomNumberGenerator()
    self.init(random: generator.next(), generator.next())
  }

  fileprivate init(random high: UInt64, _ low: UInt64) {
    // RFC 9562: four bits say the version, 4, and two the variant.
    self.high = high & ~0xF000 | 0x4000
    self.low = low & (1 << 62 - 1) | 1 << 63
  }

  /// Creates the number that a UUID's text has, in either case; nil if the text is anything else.
  init?(_ text: String) {
    var text = text
    guard let number = text.withUTF8({ UniqueNumber(utf8: $0) }) else { return nil }
    self = number
  }

  /// Creates the number that a UUID's text in UTF-8 has, in either case; nil if the text is anything else.
  init?(utf8 bytes: UnsafeBufferPointer<UInt8>) {
    guard bytes.count == 36 else { return nil }
    var words: (high: UInt64, low: UInt64) = (0, 0)
    for position in 0..<36 {
      switch position {
      case 8, 13, 18, 23:
        guard bytes[position] == UInt8(ascii: "-") else { return nil }
      case 0..<18:
        guard let digit = Self.digit(bytes[position]) else { return nil }
        words.high = words.high << 4 | digit
      default:
        guard let digit = Self.digit(bytes[position]) else { return nil }
        words.low = words.low << 4 | digit
      }
    }
    self.init(high: words.high, low: words.low)
  }

  /// The UUID's 36 characters, in lower case.
  var text: String {
    // Each of the 36 bytes is written, once.
    String(unsafeUninitializedCapacity: 36) { bytes in
      var (word, position) = (high, 0)
      while position < 36 {
        switch position {
        case 8, 13, 23: bytes[position] = UInt8(ascii: "-")
        case 18:
          bytes[position] = UInt8(ascii: "-")
          word = low
        default:
          let digit = UInt8(truncatingIfNeeded: word >> 60)
          bytes[position] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit
          word <<= 4
        }
        position += 1
      }
      return position
    }
  }

  /// The first eight digits, by which people tell a few of them apart.
  var shortText: String { String(text.prefix(8)) }

  /// The value of a hexadecimal digit, in either case.
  static func digit(_ byte: UInt8) -> UInt64? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }
}

/// Numbers that differ from each other and, as random ones do, from all others.
///
/// The system's generator is asked once, because asking it takes longer than making a record.
struct UniqueNumbers {
  private var high: UInt64
  private var low: UInt64

  init() {
    var generator = SystemRandomNumberGenerator()
    (high, low) = (generator.next(), generator.next())
  }

  mutating func next() -> UniqueNumber {
    // Odd steps, so that each state comes once in 2^64 numbers.
    high &+= 0x9E37_79B9_7F4A_7C15
    low &+= 0xD1B5_4A32_D192_ED03
    return UniqueNumber(random: Self.mixed(high), Self.mixed(low))
  }

  /// SplitMix64's mixing, which is a bijection.
  private static func mixed(_ state: UInt64) -> UInt64 {
    var bits = state
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return bits ^ bits >> 31
  }
}

extension UniqueNumber {
  /// A hash that takes one multiplication.
  ///
  /// Numbers come from outside, in records, and may be chosen so that they collide. The multiplication's
  /// factors depend on the process's secret, so none can be chosen without it.
  var keyedHash: Int {
    let product = (high ^ Self.secret.high).multipliedFullWidth(by: low ^ Self.secret.low)
    return Int(truncatingIfNeeded: product.high ^ product.low)
  }

  // The standard library's hashes have the process's seed, which is a constant if the program wants that.
  private static let secret = UniqueNumber(
    high: UInt64(truncatingIfNeeded: "high".hashValue),
    low: UInt64(truncatingIfNeeded: "low".hashValue))
}

extension UniqueNumber: Comparable {
  static func < (left: UniqueNumber, right: UniqueNumber) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

extension UniqueNumber {
  /// Decodes the number from a field.
  init(_ container: KeyedDecodingContainer<RecordKey>, _ key: RecordKey) throws {
    let text = try container.decode(String.self, forKey: key)
    guard let number = UniqueNumber(text) else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: container, debugDescription: "\(quoted(text)) isn't a UUID.")
    }
    self = number
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let number = UniqueNumber(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\(quoted(text)) isn't a UUID.")
    }
    self = number
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
