import KeyValueObserving

/// A field as a person edits it: it may contain any text, right or wrong.
@KeyValueObservable
package final class TextField {
  package let label: String
  /// Bound in both directions to a property of the model.
  package var text = "" {
    // This runs before the binding receives the text and reports a problem with it.
    didSet { problem = nil }
  }
  /// Why the model rejected the text.
  package var problem: String?

  package init(_ label: String) {
    self.label = label
  }
}
