/// Finds the keys that an object's member reads, if its key path doesn't identify a key: a protocol
/// requirement, or an override in a class without the macro.
///
/// The probe marks the object as being modified, under an id that no property has, and reads the
/// member once. The mark sends the accessors down their slow path, which records each read.
/// Accessors pay nothing for this otherwise.
struct AccessProbe {
  private let object: any KeyValueObservable
  /// The properties that the member reads, each once.
  private let read: [Property]
  private let value: Any?

  init(_ object: any KeyValueObservable, _ reader: (Any) -> Any?) {
    self.object = object
    let registrar = object._$kvoWithRegistrar { $0.address() }
    let thread = ThreadContext.ofThisThread
    // Also sends reads of this object to `note`.
    ThreadActivity.begin()
    thread.probes.append((registrar, []))
    object._$kvoWithRegistrar { registrar in
      // Several threads may probe one object; each removes one mark.
      registrar.update(of: object) { _, state in state.beginModifying(AccessProbe.mark) }
    }
    value = reader(object)
    object._$kvoWithRegistrar { $0.endAccess(AccessProbe.mark) }
    var seen: Set<Int> = []
    ThreadActivity.end()
    read = thread.probes.removeLast().ids.filter { seen.insert($0).inserted }
      .compactMap { object.schema.property(id: $0) }
  }

  /// The property that the member stands for: the only one it reads, or the only computed or overridden one
  /// that reads the same properties.
  ///
  /// Its value is the member's value.
  var property: Property? {
    if read.count == 1, isSame(value, read[0].anyValue(of: object)) { return read[0] }
    if read.isEmpty { return nil }
    let same = object.schema.properties.filter { property in
      guard property.origin == .computed || object.schema.isOverridden(property) else {
        return false
      }
      let probe = AccessProbe(object) { _ in property.anyValue(of: object) }
      return probe.read.map(\.id) == read.map(\.id) && isSame(value, probe.value)
    }
    return same.count == 1 ? same[0] : nil
  }

  /// Names the properties that the member reads, for a message; empty if it reads no key.
  var sentence: String {
    let keys = read.map { "'\($0.key)'" }
    return keys.isEmpty ? "" : " Reading it reads " + keys.joined(separator: " and ") + "."
  }

  private func isSame(_ value: Any?, _ other: Any?) -> Bool {
    guard let value, let other else { return value == nil && other == nil }
    if type(of: value) != type(of: other) { return false }
    if type(of: value) is AnyClass { return value as AnyObject === other as AnyObject }
    return isEqualOrCopy(value, other) ?? true
  }
}

// MARK: Noting

extension AccessProbe {
  /// The id under which the object is marked.
  private static let mark = Int(Int32.max)

  /// Records a read of a property, if this thread is probing the object.
  static func note(_ id: Int, of registrar: UnsafePointer<KeyValueRegistrar>) {
    guard let thread = ThreadContext.current, let last = thread.probes.indices.last,
      thread.probes[last].registrar == registrar
    else { return }
    thread.probes[last].ids.append(id)
  }
}
