/// A key path that is recorded on one object.
final class RecordedPath {
  /// A change inside a callback of another one is undone first, so a change's place is reserved when it begins.
  static let options: KeyValueObservingOptions = [.old, .new, .prior]

  let observed: ObservedPath
  /// The path to the object that has the last key; nil if that's the path's root.
  private let way: ParsedKeyPath?
  private let name: String
  /// The property of the path's first key.
  private let property: Property?
  /// The key that the path led to when it was last looked up.
  // Unchecked: as stated in `KeyValueChangeRecorder`.
  @exclusivity(unchecked) private var key: RecordedKey?

  init(_ keyPath: String, of root: some KeyValueObservable) throws {
    let path = try ParsedKeyPath(keyPath).reachingPrivateKeys()
    observed = ObservedPath(path)
    way = path.owner
    name = path.components.last?.name ?? keyPath
    property = observed.keys.first.flatMap { root.schema.property($0.name, answeredBy: root) }
  }

  /// What the path's observance delivers to: a prior reserves a slot for the change, and the post fills it.
  ///
  /// `isMeant` is whether changes are still recorded.
  func sink<Root: KeyValueObservable>(
    on _: Root, for recorder: KeyValueChangeRecorder, while isMeant: (() -> Bool)? = nil
  ) -> Delivery.Sink {
    // The recorder itself would be referred to weakly, which takes 100 instructions for each delivery.
    let scope = recorder.scope
    return { [self] root, observance, delivery in
      if delivery.pointee.captures(root, for: observance, observed.value(of:)) { return }
      guard let recorder = scope.recorder?.takeUnretainedValue(), isMeant?() != false,
        recorder.records(delivery.pointee.mark)
      else { return }
      let root = unsafeDowncast(root, to: Root.self)
      if delivery.pointee.isPrior {
        // A root stays the same, and its key with it.
        if way == nil, let key { return recorder.begin(key, observance) }
        return recorder.begin(place(from: root, for: recorder)?.key, observance)
      }
      let change = change(delivery.pointee, of: root, for: observance)
      if delivery.pointee.endedWhileReading(observance) { return }
      if way == nil, let key { return recorder.end(key, of: root, observance, change) }
      let place = place(from: root, for: recorder)
      recorder.end(place?.key, of: place?.object, observance, change)
    }
  }

  /// The path's last key, with the object that has it; nil if the path leads nowhere.
  private func place(
    from root: any KeyValueObservable, for recorder: KeyValueChangeRecorder
  ) -> (key: RecordedKey, object: any KeyValueObservable)? {
    var holder: (any KeyValueObservable)? = root
    if let way { holder = (try? way.value(ofObject: root)) as? any KeyValueObservable }
    guard let holder else { return nil }
    if let key, key.object === holder { return (key, holder) }
    let key = recorder.keys.key(name, of: holder)
    self.key = key
    return (key, holder)
  }

  private func change(
    _ delivery: Delivery, of root: AnyObject, for observance: Observance
  ) -> RecordedChange {
    func value(_ location: Delivery.ValueLocation) -> RecordedValue {
      switch location {
      case .none: return .other(nil)
      case .address(let address):
        guard let property = delivery.leaf?.takeUnretainedValue() ?? property else {
          return .other(nil)
        }
        return RecordedValue(property, at: address)
      case .captured(let box):
        return .other(unsafeDowncast(box.takeUnretainedValue(), to: ValueBox<Any?>.self))
      // Only typed paths use bits.
      case .bits, .evaluate:
        return RecordedValue(Delivery.read(root, for: observance, observed.value(of:)))
      }
    }
    return RecordedChange(
      kind: delivery.kind, ranges: delivery.ranges?.pointee, old: value(delivery.old),
      new: value(delivery.new))
  }
}
