/// The token of a binding, which ends with it.
///
/// ```swift
/// var binding: KeyValueBinding? = person.kvo.fullName.bind(to: label.kvo.text)
/// print(label.text)               // Ada Lovelace
/// binding = nil
/// person.firstName = "Grace"
/// print(label.text)               // Ada Lovelace
/// ```
///
/// Keep it as long as the two sides shall agree. It retains neither of them, and ends with either. All
/// members may be used from any thread.
///
/// Source of the behaviour: ours. Cocoa's bindings are known by name and end with `unbind:`.
public final class KeyValueBinding: Sendable {
  /// The source's key path, as a string.
  public let keyPath: String
  private let observations: [KeyValueObservation]
  /// Nil where nothing was ever bound.
  private let gate: BindingGate?
  private let targetName: String
  private let isTwoWay: Bool
  #if DEBUG || KVO_AUDIT
    /// From after the source's value has been set.
    private let life = TokenLife()
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
      observations.first?.reportIfUseless(keptBy: .binding, since: life)
    #endif
    invalidate()
  }

  /// Ends the binding; calling it again does nothing.
  ///
  /// When it returns, nothing more is passed on. What is being passed on by another thread may arrive.
  public func invalidate() {
    gate?.end()
    for observation in observations { observation.invalidate() }
  }

  /// Whether changes are passed on: not invalidated, and both sides alive.
  public var isValid: Bool {
    observations.allSatisfy(\.isValid)
  }

  /// Keeps the binding in a set, which ends all bindings in it when it goes.
  public func store(in set: inout Set<KeyValueBinding>) {
    set.insert(self)
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
  /// The key path, the target's class, and whether the binding is in force:
  /// `KeyValueBinding(fullName -> Label, valid)`; two-way ones have `<->`.
  public var description: String {
    let arrow = isTwoWay ? "<->" : "->"
    return "KeyValueBinding(\(keyPath) \(arrow) \(targetName), \(isValid ? "valid" : "ended"))"
  }
}
