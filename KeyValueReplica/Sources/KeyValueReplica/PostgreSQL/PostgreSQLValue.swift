import Foundation

/// A parameter of a statement, sent in PostgreSQL's binary format.
enum PostgreSQLValue: Sendable {
  case int(Int64)
  case text(String)
  case id(UUID?)
  case bytes(Data)
  case texts([String])
  case ids([UUID])
  case byteStrings([Data])

  /// The type's number, from `pg_type`.
  var type: UInt32 {
    switch self {
    case .int: 20
    case .text: 25
    case .id: 2950
    case .bytes: 17
    case .texts: 1009
    case .ids: 2951
    case .byteStrings: 1001
    }
  }

  /// The value's size, or more.
  var size: Int {
    switch self {
    case .int, .id: 16
    case .text(let text): text.utf8.count
    case .bytes(let bytes): bytes.count
    case .texts(let texts): texts.reduce(20) { $0 + 4 + $1.utf8.count }
    case .ids(let ids): 20 + 20 * ids.count
    case .byteStrings(let strings): strings.reduce(20) { $0 + 4 + $1.count }
    }
  }

  /// Appends the value's bytes.
  ///
  /// - Returns: Whether there's a value; otherwise it's NULL.
  func encode(to bytes: inout [UInt8]) -> Bool {
    switch self {
    case .int(let int): Self.append(int, to: &bytes)
    case .text(let text): bytes.append(contentsOf: text.utf8)
    case .id(nil): return false
    case .id(let id?): Self.append(id, to: &bytes)
    case .bytes(let data): bytes.append(contentsOf: data)
    case .texts(let texts):
      Self.array(of: 25, texts, to: &bytes) { text, bytes in
        Self.append(Int32(text.utf8.count), to: &bytes)
        bytes.append(contentsOf: text.utf8)
      }
    case .ids(let ids):
      Self.array(of: 2950, ids, to: &bytes) { id, bytes in
        Self.append(Int32(16), to: &bytes)
        Self.append(id, to: &bytes)
      }
    case .byteStrings(let strings):
      Self.array(of: 17, strings, to: &bytes) { string, bytes in
        Self.append(Int32(string.count), to: &bytes)
        bytes.append(contentsOf: string)
      }
    }
    return true
  }

  /// One dimension without nulls, counted from 1.
  private static func array<Element>(
    of type: Int32, _ elements: [Element], to bytes: inout [UInt8],
    _ encode: (Element, inout [UInt8]) -> Void
  ) {
    for number in [1, 0, type, Int32(elements.count), 1] { append(number, to: &bytes) }
    for element in elements { encode(element, &bytes) }
  }

  private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }

  private static func append(_ id: UUID, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: id.uuid) { bytes.append(contentsOf: $0) }
  }
}

/// Parameters in the form that libpq's functions take.
struct PostgreSQLParameters {
  private var storage: [UInt8] = []
  private var starts: [Int?] = []
  private var types: [UInt32] = []
  private var lengths: [Int32] = []
  private var formats: [Int32] = []

  init(_ values: [PostgreSQLValue]) {
    storage.reserveCapacity(values.reduce(1) { $0 + $1.size })
    for value in values {
      let start = storage.count
      starts.append(value.encode(to: &storage) ? start : nil)
      types.append(value.type)
      lengths.append(Int32(storage.count - start))
      formats.append(LibPQ.Constant.binary)
    }
    // So that the last value too has an address, if it's empty.
    storage.append(0)
  }

  var count: Int32 { Int32(types.count) }

  func withTypes<R>(_ body: (UnsafePointer<UInt32>?) -> R) -> R {
    types.withUnsafeBufferPointer { body($0.baseAddress) }
  }

  func withValues<R>(
    _ body: (LibPQ.Texts?, UnsafePointer<Int32>?, UnsafePointer<Int32>?) -> R
  ) -> R {
    storage.withUnsafeBytes { storage in
      let base = storage.baseAddress!.assumingMemoryBound(to: CChar.self)
      let values: [UnsafePointer<CChar>?] = starts.map { $0.map { base + $0 } }
      return values.withUnsafeBufferPointer { values in
        lengths.withUnsafeBufferPointer { lengths in
          formats.withUnsafeBufferPointer { formats in
            body(values.baseAddress, lengths.baseAddress, formats.baseAddress)
          }
        }
      }
    }
  }
}

/// The rows that a statement returned, in binary format.
///
/// libpq's results are immutable, and any thread may read and free them.
final class PostgreSQLRows: @unchecked Sendable {
  private let library: LibPQ
  private let result: LibPQ.Handle

  /// Takes over the result, and frees it in the end.
  init(_ result: LibPQ.Handle, of library: LibPQ) {
    self.result = result
    self.library = library
  }

  deinit {
    library.clear(result)
  }

  var count: Int { Int(library.rowCount(result)) }

  func isNull(_ row: Int, _ column: Int) -> Bool {
    library.isNull(result, Int32(row), Int32(column)) != 0
  }

  private func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: library.value(result, Int32(row), Int32(column)),
      count: Int(library.length(result, Int32(row), Int32(column))))
  }

  /// An int2, int4, int8 or bool.
  func int(_ row: Int, _ column: Int) -> Int64 {
    let bytes = bytes(row, column)
    let isNegative = bytes.count > 1 && bytes[0] & 0x80 != 0
    return bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) }
  }

  func bool(_ row: Int, _ column: Int) -> Bool { int(row, column) != 0 }

  func text(_ row: Int, _ column: Int) -> String {
    String(decoding: bytes(row, column), as: UTF8.self)
  }

  func data(_ row: Int, _ column: Int) -> Data { Data(bytes(row, column)) }

  func id(_ row: Int, _ column: Int) -> UUID? {
    let bytes = bytes(row, column)
    guard bytes.count == 16, !isNull(row, column) else { return nil }
    return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
  }

  /// Microseconds since the beginning of 2000.
  func date(_ row: Int, _ column: Int) -> Date {
    Date(timeIntervalSinceReferenceDate: Double(int(row, column)) / 1e6 - 31_622_400)
  }
}
