/// What a member's key path tells of how the member is declared.
enum MemberKind {
  /// A requirement of a protocol, or a member that subclasses may override.
  case dispatched
  /// A member whose accessor is called directly: of an extension, of a `final` class, or `final` itself.
  case direct
  /// A stored property, or one that this library doesn't understand.
  case unknown

  /// Reads the kind of the first component.
  ///
  /// A key path to a computed member identifies it by the address of an accessor, or by a place in a table
  /// of methods. The layout is part of Swift's ABI (`KeyPath.swift`, `KeyPathBuffer`); `isUnderstood` checks
  /// it with key paths whose kind is known.
  init(_ keyPath: AnyKeyPath) {
    self = MemberKind.isUnderstood ? MemberKind(unchecked: keyPath) : .unknown
  }

  private init(unchecked keyPath: AnyKeyPath) {
    // A key path's object: the header of two words, a word for the name, then the buffer: a word for its
    // size, and the first component's header. The object is at least that long, because it has a component.
    let header = withExtendedLifetime(keyPath) {
      UnsafeRawPointer(Unmanaged.passUnretained(keyPath).toOpaque())
        .load(fromByteOffset: 4 * MemoryLayout<Int>.size, as: UInt32.self)
    }
    let isComputed = header >> 24 & 0x7F == 2
    let isIdentifiedByTable = header & 0x10_0000 != 0
    let isIdentifiedByField = header & 0x20_0000 != 0
    switch (isComputed, isIdentifiedByTable, isIdentifiedByField) {
    case (true, true, false): self = .dispatched
    case (true, false, false): self = .direct
    default: self = .unknown
    }
  }

  /// Whether the library reads this platform's key paths correctly.
  private static let isUnderstood =
    MemberKind(unchecked: requirement(of: Sample.self)) == .dispatched
    && MemberKind(unchecked: \Sample.direct) == .direct
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
