/// Receives one observation's elements, to pass them on elsewhere or later.
protocol ElementReceiver<Element>: AnyObject {
  associatedtype Element

  /// Marks the initial value as being read; false if the reading has already begun.
  func beginInitial() -> Bool
  /// Takes the initial element; false if its value has to be read again because of changes
  /// meanwhile.
  func open(with element: Element) -> Bool
  /// Takes a further element.
  func append(_ element: Element)
}

extension Delivery {
  /// Whether this is the initial call, before its value is read.
  ///
  /// Other threads may make changes that look the same before the registering thread gets there.
  func beginsInitial(
    of receiver: some ElementReceiver, registeredOn thread: ThreadIdentity
  ) -> Bool {
    // Only the initial call has no old value and a new value yet to be read.
    guard case .none = old, case .evaluate = new, kind == .setting, !isPrior, thread == .current
    else { return false }
    return receiver.beginInitial()
  }

  /// Makes a receiver's sink: the initial element first, then every change through another sink.
  static func initialFirst<Root: AnyObject, Value>(
    _ receiver: some ElementReceiver<KeyValueObservedChange<Value>>,
    _ options: KeyValueObservingOptions, read: @escaping (Root) -> Value,
    then sink: @escaping Sink
  ) -> Sink {
    guard options.contains(.initial) else { return sink }
    let thread = ThreadIdentity.current
    return { object, observance, pointer in
      let delivery = pointer.pointee
      guard delivery.result == nil, delivery.beginsInitial(of: receiver, registeredOn: thread)
      else { return sink(object, observance, pointer) }
      let root = unsafeDowncast(object, to: Root.self)
      var isOpen = false
      while !isOpen {
        let value = options.contains(.new) ? Delivery.read(root, for: observance, read) : nil
        if delivery.endedWhileReading(observance) { return }
        isOpen = receiver.open(with: KeyValueObservedChange(kind: .setting, newValue: value))
      }
    }
  }
}

extension KeyValueObservingOptions {
  /// Whether the options suit a delayed delivery, which can't precede the change; if not, reports it.
  func allowLaterDelivery(_ keyPath: String) -> Bool {
    guard contains(.prior) else { return true }
    KeyValueViolation.report(
      .unsupportedOption,
      "'\(keyPath)' is observed with the option .prior and delivered elsewhere or later, when the "
        + "change will long have happened. Leave .prior out and ask for .old, or observe with "
        + "observe(_:options:changeHandler:), which calls where the change is made.")
    return false
  }
}
