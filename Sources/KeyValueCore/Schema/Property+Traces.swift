// What a trace reads itself: values of stored properties, because reading them runs none of the class's code.
extension Property {
  private var isReadByTraces: Bool { origin == .stored && !isRedacted }

  /// The value before a change; nil for a collection, whose copy would make the change copy it.
  func traced(of object: AnyObject, before edit: Edit) -> KeyValueTrace.Value? {
    guard isReadByTraces, !isCollection, case .setting = edit else { return nil }
    return tracedValue(of: object)
  }

  /// The elements that a set doesn't have yet; nil if the edit isn't set algebra that adds elements.
  func tracedMissing(of object: AnyObject, before edit: Edit) -> KeyValueTrace.Value? {
    isReadByTraces ? edit.entering(capture(from: object))?.traced : nil
  }

  /// The value after a change, or the elements that have entered it; nil if elements have only left it.
  func traced(of object: AnyObject, after edit: Edit) -> KeyValueTrace.Value? {
    guard isReadByTraces, edit.kind != .removal else { return nil }
    guard let indexes = edit.ranges else { return tracedValue(of: object) }
    return capture(from: object, at: indexes).traced
  }

  private func tracedValue(of object: AnyObject) -> KeyValueTrace.Value {
    var value = KeyValueTrace.Value.none
    withValue(of: object) { value = traced(at: $0) }
    return value
  }
}
