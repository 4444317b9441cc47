import KeyValueObserving

/// A field as a person edits it: any text may stand in it, right or wrong.
@KeyValueObservable
package final class TextField {
  package let label: String
  /// Bound both ways to a property of the model.
  package var text = "" {
    // Before the binding is told of the text, which says what is wrong with it, if anything.
    didSet { problem = nil }
  }
  /// Why the model did not take the text.
  package var problem: String?

  package init(_ label: String) {
    self.label = label
  }
}
