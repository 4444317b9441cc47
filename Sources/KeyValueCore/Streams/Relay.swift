/// Takes what one observation has to tell, to hand it out elsewhere or later.
protocol Relay<Element>: AnyObject {
  associatedtype Element

  /// Notes that the initial value is going to be read; false where it has been or is being read.
  func beginInitial() -> Bool
  /// Takes the initial element; false where its value is to be read again, because changes came
  /// meanwhile.
  func open(with element: Element) -> Bool
  /// Takes a further element.
  func append(_ element: Element)
}

extension Delivery {
  /// Whether this may be the initial call: nothing but that has no old value and a new one to be read.
  private var looksInitial: Bool {
    guard case .none = old, case .evaluate = new else { return false }
    return kind == .setting && !isPrior
  }

  /// Whether this is the initial call, whose value is going to be read now.
  ///
  /// Other threads may bring changes that look the same while the registering one is on its way to it.
  func beginsInitial(of relay: some Relay, registeredOn thread: ThreadIdentity) -> Bool {
    looksInitial && thread == .current && relay.beginInitial()
  }
}

extension Delivery {
  /// Makes the sink of a relay that takes changes out of a sink that hands it every later one.
  static func opening<Root: AnyObject, Value, Changes: Relay<KeyValueObservedChange<Value>>>(
    _ relay: Changes, _ options: KeyValueObservingOptions, read: @escaping (Root) -> Value,
    then sink: @escaping Sink
  ) -> Sink {
    guard options.contains(.initial) else { return sink }
    let thread = ThreadIdentity.current
    return { object, observance, pointer in
      let delivery = pointer.pointee
      guard case .deliver = delivery.request,
        delivery.beginsInitial(of: relay, registeredOn: thread)
      else { return sink(object, observance, pointer) }
      let root = unsafeDowncast(object, to: Root.self)
      var isOpen = false
      while !isOpen {
        let value = options.contains(.new) ? Delivery.read(root, for: observance, read) : nil
        if delivery.endedWhileReading(observance) { return }
        isOpen = relay.open(with: KeyValueObservedChange(initial: value))
      }
    }
  }
}

extension KeyValueObservedChange {
  /// What an initial call tells.
  init(initial value: Value?) {
    self.init(kind: .setting, newValue: value, oldValue: nil, ranges: nil, isPrior: false)
  }
}

extension KeyValueObservingOptions {
  /// Whether they suit whoever is told later, when a call before the change is impossible; reported
  /// where they do not.
  func canBeRelayed(_ keyPath: String) -> Bool {
    guard contains(.prior) else { return true }
    KeyValueViolation.report(
      .unsupportedOption,
      "'\(keyPath)' is observed with the option .prior and delivered elsewhere or later, when the "
        + "change will long have happened. Leave .prior out and ask for .old, or observe with "
        + "observe(_:options:changeHandler:), which calls where the change is made.")
    return false
  }
}
