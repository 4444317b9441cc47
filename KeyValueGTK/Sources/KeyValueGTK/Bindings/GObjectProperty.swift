import CGtk4
import KeyValueObserving

/// The value of a GObject's property as an observable key, which is one side of the library's bindings.
///
/// A change by the binding goes to the GObject. A change of the GObject comes through ``readWidget()``.
@MainActor @KeyValueObservable
final class GObjectProperty<Value> {
  var state = State.unset {
    didSet {
      if isIncoming { isIncoming = false } else { writeWidget() }
    }
  }
  /// Whether the next set is the GObject's own change.
  ///
  /// A validator's replacement is a second set.
  @KeyValueIgnored private var isIncoming = false
  @KeyValueIgnored private let coding: GValueCoding<Value>
  @KeyValueIgnored private unowned let binding: GObjectBinding

  init(_ coding: GValueCoding<Value>, _ binding: GObjectBinding) {
    self.coding = coding
    self.binding = binding
  }

  /// What the property is known to have.
  enum State {
    /// Nothing yet: the binding sets it when it begins.
    case unset
    case value(Value)

    func get() throws -> Value {
      guard case .value(let value) = self else { throw Unset() }
      return value
    }
  }

  /// There's no value, because the property's first one was refused.
  struct Unset: Error {}

  /// Writes the value that is known.
  func writeWidget() {
    guard case .value(let value) = state else { return }
    binding.write { try coding.write(value, $0) }
  }

  /// Takes the GObject's value, which a two-way binding then passes on.
  func readWidget() {
    guard let object = binding.object else { return }
    do {
      let new = try withGValue(binding.property.pointee.value_type) { held in
        g_object_get_property(object, binding.property.pointee.name, held)
        return try coding.read(held)
      }
      // Told once more, by an object that has put its signals off.
      if case .value(let known) = state, coding.isSame(known, new), binding.error == nil { return }
      let refusals = binding.refusals
      isIncoming = true
      state = .value(new)
      // A validator's refusal comes during the set.
      if binding.refusals == refusals { binding.accept() }
    } catch {
      binding.refuse(error)
    }
  }
}

extension GObjectProperty.State: Equatable where Value: Equatable {}
extension GObjectProperty.State: Sendable where Value: Sendable {}
