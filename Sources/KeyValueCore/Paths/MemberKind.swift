/// What a member's key path tells of how the member is declared.
enum MemberKind {
  /// A requirement of a protocol, which any member of the object's class may satisfy.
  case requirement
  /// A computed member of a class or an extension.
  case member
  /// A stored property, or one that this library doesn't understand.
  case unknown

  /// Reads the kind of the first component.
  ///
  /// A key path identifies a protocol's requirement by its place in the table of the protocol's witnesses,
  /// and another computed member by an address. The layout is part of Swift's ABI (`KeyPath.swift`,
  /// `KeyPathBuffer`); `isUnderstood` checks it with key paths whose kind is known.
  init(_ keyPath: AnyKeyPath) {
    self = MemberKind.isUnderstood ? MemberKind(unchecked: keyPath) : .unknown
  }

  private init(unchecked keyPath: AnyKeyPath) {
    // A key path's object: a header of two words, a word for the name, then the buffer: a word for its size,
    // which is 0 for `\.self`, and the header of the first component.
    let header = withExtendedLifetime(keyPath) { () -> UInt32 in
      let object = UnsafeRawPointer(Unmanaged.passUnretained(keyPath).toOpaque())
      let word = MemoryLayout<Int>.size
      let size = object.load(fromByteOffset: 3 * word, as: UInt32.self) & 0xFF_FFFF
      return size == 0 ? 0 : object.load(fromByteOffset: 4 * word, as: UInt32.self)
    }
    let isComputed = header >> 24 & 0x7F == 2
    let isIdentifiedByTable = header & 0x10_0000 != 0
    let isIdentifiedByField = header & 0x20_0000 != 0
    switch (isComputed, isIdentifiedByTable, isIdentifiedByField) {
    case (true, true, false): self = .requirement
    case (true, false, false): self = .member
    default: self = .unknown
    }
  }

  /// Whether the library reads this platform's key paths correctly.
  private static let isUnderstood =
    MemberKind(unchecked: requirement(of: Sample.self)) == .requirement
    && MemberKind(unchecked: \Sample.direct) == .member
    && MemberKind(unchecked: \Sample.stored) == .unknown

  private static func requirement<Root: Requiring>(of type: Root.Type) -> AnyKeyPath {
    \Root.required
  }
}

private protocol Requiring { var required: Int { get } }

private final class Sample: Requiring {
  final let stored = 1
  var required: Int { 1 }
}

extension Sample {
  fileprivate var direct: Int { 2 }
}
