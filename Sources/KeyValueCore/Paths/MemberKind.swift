/// What a member's key path tells of how the member is declared.
enum MemberKind: Equatable {
  /// A requirement of a protocol, which any member of the object's class may satisfy.
  case requirement
  /// A computed member of a class that a subclass may override; any computed member where that isn't known.
  case overridable
  /// Another computed member of a class or of an extension.
  case member(isSettable: Bool)
  /// A stored property, or one that this library doesn't understand.
  case unknown

  /// Reads the kind of the first component.
  ///
  /// A key path identifies a protocol's requirement by its place in the table of the protocol's witnesses,
  /// and another computed member by the address of its getter or, if it's declared in a class and may be
  /// overridden, of its place in the class's description. The layout is part of Swift's ABI (`KeyPath.swift`,
  /// `KeyPathBuffer`); `isUnderstood` checks it with key paths whose kind is known.
  init(_ keyPath: AnyKeyPath) {
    self = MemberKind.isUnderstood ? MemberKind(unchecked: keyPath) : .unknown
    if case .member = self, !MemberKind.knowsOverridable { self = .overridable }
  }

  private init(unchecked keyPath: AnyKeyPath) {
    // A key path's object: a header of two words, a word for the name, then the buffer: a word for its size,
    // which is 0 for `\.self`, the header of the first component, and what identifies that.
    let object = UnsafeRawPointer(Unmanaged.passUnretained(keyPath).toOpaque())
    self = withExtendedLifetime(keyPath) {
      let word = MemoryLayout<Int>.size
      let size = object.load(fromByteOffset: 3 * word, as: UInt32.self) & 0xFF_FFFF
      let header = size == 0 ? 0 : object.load(fromByteOffset: 4 * word, as: UInt32.self)
      let isComputed = header >> 24 & 0x7F == 2
      let isIdentifiedByTable = header & 0x10_0000 != 0
      let isIdentifiedByField = header & 0x20_0000 != 0
      guard isComputed, !isIdentifiedByField else { return .unknown }
      if isIdentifiedByTable { return .requirement }
      let identity = object.load(fromByteOffset: 5 * word, as: UnsafeRawPointer.self)
      return MemberKind.isOverridableGetter(identity)
        ? .overridable : .member(isSettable: header & 0x40_0000 != 0)
    }
  }

  /// Whether the address is that of an instance's getter in a class's description, and not that of a function.
  private static func isOverridableGetter(_ address: UnsafeRawPointer) -> Bool {
    #if os(Android) || arch(wasm32)
      // Code may be executable only there, or isn't in memory.
      return false
    #else
      // A description of a method begins with its kind. No function of a supported processor begins with these
      // bytes.
      guard Int(bitPattern: address) % MemoryLayout<UInt32>.alignment == 0 else { return false }
      let (getter, instance) = (UInt32(2), UInt32(0x10))
      return address.load(as: UInt32.self) & 0xFFFF == getter | instance
    #endif
  }

  /// Whether the library reads this platform's key paths correctly.
  private static let isUnderstood =
    MemberKind(unchecked: requirement(of: Sample.self)) == .requirement
    && MemberKind(unchecked: \Sample.direct) == .member(isSettable: false)
    && MemberKind(unchecked: \Sample.settable) == .member(isSettable: true)
    && MemberKind(unchecked: \Sample.stored) == .unknown

  /// Whether it tells members that may be overridden from others.
  private static let knowsOverridable = MemberKind(unchecked: \Sample.overridable) == .overridable

  private static func requirement<Root: Requiring>(of type: Root.Type) -> AnyKeyPath {
    \Root.required
  }
}

private protocol Requiring { var required: Int { get } }

private class Sample: Requiring {
  final let stored = 1
  final var required: Int { 1 }
  var overridable: Int { 3 }
}

extension Sample {
  fileprivate var direct: Int { 2 }
  fileprivate var settable: Int {
    get { 4 }
    set {}
  }
}

private final class SubclassOfSample: Sample {
  override var overridable: Int { 5 }
}
