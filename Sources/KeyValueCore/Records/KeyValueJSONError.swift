/// Why JSON couldn't be read as a snapshot, a record or a value, or why none could be written.
///
/// It names the place in the text, the path of fields and indexes that leads there, and the fault:
///
/// ```swift
/// do {
///   _ = try KeyValueLogValue(json: #"{"scores": [1, 2.5.0]}"#.utf8)
/// } catch {
///   print(error)
///   // Bad JSON at line 1, column 19, in scores.1: there's '.' where ',' or ']' belongs.
/// }
/// ```
///
/// Nothing has been read or written when it's thrown.
///
/// Source of the behaviour: this library's; Cocoa has no counterpart.
public struct KeyValueJSONError: Error, Hashable, Sendable {
  /// A place in a text.
  public struct Place: Hashable, Sendable {
    /// The line, counted from 1.
    public var line: Int
    /// The Unicode scalar in the line, counted from 1.
    public var column: Int
    /// The number of bytes before the place.
    public var offset: Int

    /// Creates a place.
    ///
    /// - Parameters:
    ///   - line: The line, counted from 1.
    ///   - column: The Unicode scalar in the line, counted from 1.
    ///   - offset: The number of bytes before the place.
    public init(line: Int, column: Int, offset: Int) {
      self.line = line
      self.column = column
      self.offset = offset
    }
  }

  /// Where the fault is in the text; nil if a value couldn't be written.
  public var place: Place?
  /// The names of fields, as they're written, and the indexes of elements that lead to the fault.
  public var path: [String]
  /// What's wrong, in words.
  public var reason: String

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - place: Where the fault is in the text; nil if a value couldn't be written.
  ///   - path: The names of fields and the indexes of elements that lead to the fault.
  ///   - reason: What's wrong, in words.
  public init(place: Place? = nil, path: [String] = [], reason: String) {
    self.place = place
    self.path = path
    self.reason = reason
  }
}

extension KeyValueJSONError: CustomStringConvertible {
  /// One sentence: where the fault is, and what it is.
  public var description: String {
    let steps = path.prefix(12).map { $0.utf8.count > 60 ? $0.prefix(40) + "…" : $0 }
    let rest = path.count > steps.count ? ".…" : ""
    let path = steps.joined(separator: ".") + rest
    guard let place else {
      return "No JSON" + (path.isEmpty ? "" : " for \(path)") + ": \(reason)."
    }
    return "Bad JSON at line \(place.line), column \(place.column)"
      + (path.isEmpty ? "" : ", in \(path)") + ": \(reason)."
  }
}

extension KeyValueJSONError {
  /// The error for a fault in a text.
  init(_ fault: JSONReader.Fault, in bytes: [UInt8]) {
    // What's before the fault has been read, so that it's JSON.
    let before = bytes[..<min(fault.offset, bytes.count)]
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    self.init(
      place: Place(
        line: before.count { $0 == UInt8(ascii: "\n") } + 1,
        column: before[start...].count { $0 & 0xC0 != 0x80 } + 1, offset: fault.offset),
      path: Self.path(to: before), reason: fault.reason)
  }

  /// The fields and indexes that lead to the end of a text.
  private static func path(to text: ArraySlice<UInt8>) -> [String] {
    enum Step {
      case field(Range<Int>?)
      case element(Int)
    }
    var steps: [Step] = []
    var position = 0
    while position < text.count {
      switch text[position] {
      case UInt8(ascii: "{"): steps.append(.field(nil))
      case UInt8(ascii: "["): steps.append(.element(0))
      case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = steps.popLast()
      case UInt8(ascii: ","):
        switch steps.last {
        case .field: steps[steps.count - 1] = .field(nil)
        case .element(let index): steps[steps.count - 1] = .element(index + 1)
        case nil: break
        }
      case UInt8(ascii: "\""):
        let start = position + 1
        position = start
        while position < text.count, text[position] != UInt8(ascii: "\"") {
          position += text[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        if position < text.count, case .field(nil)? = steps.last {
          steps[steps.count - 1] = .field(start..<position)
        }
      default: break
      }
      position += 1
    }
    return steps.compactMap { step in
      switch step {
      case .field(let place): place.map { String(decoding: text[$0], as: UTF8.self) }
      case .element(let index): "\(index)"
      }
    }
  }

  /// The error with the steps that lead to where its path begins.
  func inside(_ steps: String...) -> KeyValueJSONError {
    KeyValueJSONError(place: place, path: steps + path, reason: reason)
  }
}
