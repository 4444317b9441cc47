/// A change that was announced to an expectation or a ``ChangeList``.
///
/// ```swift
/// let changes = ChangeList(of: person.kvo.name)
/// person.name = "Grace"
/// print(changes.next()!)             // change(Person.name, old: "Ada", new: "Grace")
/// ```
public struct AnnouncedChange {
  let subject: ChangeSubject
  /// How the value changed.
  public let kind: KeyValueChangeKind
  /// The indexes of the changed elements of an ordered to-many value; nil for other changes.
  public let indexes: RangeSet<Int>?
  let old: ValueSnapshot?
  let new: ValueSnapshot?
  /// Whether the observer was called before the mutation.
  public let isPrior: Bool
  /// Where the change was made; nil unless the program records call sites.
  public let place: KeyValueTrace.Place?
  /// Whether it's an edit of a record.
  let isLogged: Bool
  private let names: ObjectNames

  /// The observed object; nil once it's released.
  public var object: (any KeyValueObservable)? { subject.object.object as? any KeyValueObservable }
  /// The observed key path; empty for an object that enters or leaves a graph.
  public var keyPath: String { subject.keyPath }
  /// The value, or the elements that left, before the change; nil if it's nil, and if the options leave it out.
  ///
  /// An observable object that's released meanwhile is nil, too. A collection is an array, and a dictionary has
  /// keys of the type `AnyHashable`.
  public var oldValue: Any? { old?.value }
  /// The value, or the elements that entered, after the change; nil as for the old value.
  public var newValue: Any? { new?.value }

  /// Whether the change is the one described.
  ///
  /// ```swift
  /// #expect(changes.next()?.matches(change(company.kvo.name, new: "Looms")) == true)
  /// ```
  public func matches(_ expected: ExpectedChange) -> Bool { expected.matches(self) }
}

/// What a change is about: a path of an object, or an object that enters or leaves a graph.
struct ChangeSubject {
  enum What: Equatable {
    case path(String)
    case entry, departure
  }

  let object: WeakObject
  let what: What
  /// What the path consists of, if its string doesn't identify it; nil for a record's.
  var components: AnyHashable?

  var keyPath: String { if case .path(let path) = what { path } else { "" } }

  func isSame(as other: ChangeSubject) -> Bool {
    // A new object may have the address of one that's gone.
    guard object.identity == other.object.identity else { return false }
    // A path prints otherwise once an object has shown which keys its members are.
    if let components, let others = other.components {
      if components != others { return false }
    } else if what != other.what {
      return false
    }
    return object.object === other.object.object
  }

  func text(_ names: ObjectNames) -> String {
    let name = object.name(in: names)
    return keyPath.isEmpty ? name : "\(name).\(keyPath)"
  }
}

extension AnnouncedChange {
  init<Object: KeyValueObservable, Value>(
    _ change: KeyValueObservedChange<Value>, of object: Object, _ observed: ChangeSubject,
    at place: KeyValueTrace.Place?, _ names: ObjectNames
  ) {
    self.init(
      subject: ChangeSubject(
        object: WeakObject(object), what: observed.what, components: observed.components),
      kind: change.kind, indexes: change.indexes, old: change.oldValue.map { ValueSnapshot($0) },
      new: change.newValue.map { ValueSnapshot($0) }, isPrior: change.isPrior, place: place,
      isLogged: false, names: names)
  }

  init(
    _ subject: ChangeSubject, _ kind: KeyValueChangeKind, _ indexes: RangeSet<Int>? = nil,
    old: ValueSnapshot? = nil, new: ValueSnapshot? = nil, loggedAt place: KeyValueTrace.Place?,
    _ names: ObjectNames
  ) {
    self.init(
      subject: subject, kind: kind, indexes: indexes, old: old, new: new, isPrior: false,
      place: place, isLogged: true, names: names)
  }
}

extension AnnouncedChange: CustomStringConvertible {
  /// The change as an expectation describes it: `change(Person.name, old: "Ada", new: "Grace")`.
  public var description: String {
    changeText(subject, kind, indexes, old: old, new: new, isPrior: isPrior, names)
  }
}

/// A change in the words of an expectation.
func changeText(
  _ subject: ChangeSubject, _ kind: KeyValueChangeKind, _ indexes: RangeSet<Int>?,
  old: ValueSnapshot?, new: ValueSnapshot?, isPrior: Bool, _ names: ObjectNames
) -> String {
  var parts = [(subject.keyPath.isEmpty ? "of: " : "") + subject.text(names)]
  if let indexes { parts.append("at: \(text(of: indexes))") }
  let isOneSided = kind == .insertion || kind == .removal
  if let old { parts.append("\(isOneSided ? "of" : "old"): \(old.text(names))") }
  if let new { parts.append("\(isOneSided ? "of" : "new"): \(new.text(names))") }
  let text = "\(word(subject.what, kind))(\(parts.joined(separator: ", ")))"
  return isPrior ? "prior(\(text))" : text
}

private func word(_ what: ChangeSubject.What, _ kind: KeyValueChangeKind) -> String {
  switch (what, kind) {
  case (.entry, _): "entry"
  case (.departure, _): "departure"
  case (.path, .setting): "change"
  case (.path, .insertion): "insertion"
  case (.path, .removal): "removal"
  case (.path, .replacement): "replacement"
  }
}

/// Indexes as Swift spells them: `0`, `2..<4`, `[0..<1, 2..<4]`.
private func text(of indexes: RangeSet<Int>) -> String {
  let ranges = indexes.ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0)" }
  return ranges.count == 1 ? ranges[0] : "[\(ranges.joined(separator: ", "))]"
}
