/// The token that ends a binding.
///
/// ```swift
/// var binding: KeyValueBinding? = person.kvo.fullName.bind(to: label.kvo.text)
/// print(label.text)               // Ada Lovelace
/// binding = nil
/// person.firstName = "Grace"
/// print(label.text)               // Ada Lovelace
/// ```
///
/// Keep it as long as the sides should agree. The binding retains neither side, and ends with
/// either. All members may be used on any thread.
///
/// Source of the behaviour: this library's. Cocoa's bindings have names and end with `unbind:`.
public final class KeyValueBinding: Sendable {
  /// The source's key path, as a string.
  public let keyPath: String
  private let observations: [KeyValueObservation]
  /// Nil if the binding never began.
  private let gate: BindingGate?
  private let targetName: String
  private let isTwoWay: Bool
  #if DEBUG || KVO_AUDIT
    /// Begins once the source's value has been passed on.
    private let lifetime = TokenLifetime()
  #endif

  init(
    _ observations: [KeyValueObservation], through gate: BindingGate? = nil, keyPath: String,
    target: AnyObject, isTwoWay: Bool = false
  ) {
    self.isTwoWay = isTwoWay
    self.observations = observations
    self.gate = gate
    self.keyPath = keyPath
    targetName = name(of: type(of: target))
  }

  deinit {
    #if DEBUG || KVO_AUDIT
      observations.first?.reportIfUseless(keptBy: .binding, since: lifetime)
    #endif
    invalidate()
  }

  /// Ends the binding; calling it again does nothing.
  ///
  /// When it returns, the binding passes no further change on. A change that another thread is
  /// passing on may still arrive.
  public func invalidate() {
    gate?.end()
    for observation in observations { observation.invalidate() }
  }

  /// Whether the binding passes changes on: it isn't invalidated, and both sides are alive.
  public var isValid: Bool {
    observations.allSatisfy(\.isValid)
  }

  /// Stores the binding in a set; destroying the set ends its bindings.
  public func store(in set: inout Set<KeyValueBinding>) {
    set.insert(self)
  }

  /// Stores the binding in an array or another collection; destroying that ends its bindings.
  public func store(in collection: inout some RangeReplaceableCollection<KeyValueBinding>) {
    collection.append(self)
  }
}

extension KeyValueBinding: Hashable {
  /// Whether both are the same binding.
  public static func == (left: KeyValueBinding, right: KeyValueBinding) -> Bool {
    left === right
  }

  /// Hashes the binding's identity.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}

extension KeyValueBinding: CustomStringConvertible {
  /// The key path, the target's class, and the binding's state:
  /// `KeyValueBinding(fullName -> Label, valid)`; two-way ones have `<->`.
  public var description: String {
    let arrow = isTwoWay ? "<->" : "->"
    return "KeyValueBinding(\(keyPath) \(arrow) \(targetName), \(isValid ? "valid" : "ended"))"
  }
}
