extension KeyValueTrace.Place: CustomStringConvertible {
  /// The file's name and the line: `View.swift:88`.
  public var description: String {
    let name = fileID.split(separator: "/").last.map(String.init) ?? fileID
    return "\(name):\(line)"
  }
}

extension KeyValueTrace.Registration: CustomStringConvertible {
  /// The observer and where it was registered: `closure, registered at View.swift:88`.
  public var description: String { name + at }

  /// The observer: `closure`, `binding to Field.text`.
  public var name: String {
    switch role {
    case .binding: "binding to \(observer)"
    case .bindingBack: "two-way binding back to \(observer)"
    case .bindingOwner: "binding to \(observer), whose owner changes"
    case .observer, .controller, .receiver, .recorder: observer
    }
  }

  fileprivate var at: String {
    place.map { " \(role.isBinding ? "bound" : "registered") at \($0)" } ?? ""
  }
}

extension KeyValueTrace.Registration.Role {
  /// Whether it's part of a binding.
  public var isBinding: Bool {
    switch self {
    case .binding, .bindingBack, .bindingOwner: true
    case .observer, .controller, .receiver, .recorder: false
    }
  }
}

extension KeyValueTrace.Step: CustomStringConvertible {
  /// The dependent key and its path: `Department.totalSalary through employees.@sum.salary`.
  public var description: String { "\(className).\(key) through \(path)" }
}

extension KeyValueTrace.SkipReason: CustomStringConvertible {
  /// The reason, as the end of a sentence that begins with *isn't told, because*.
  public var description: String {
    switch self {
    case .ended: "its registration has ended"
    case .observerDied: "the observer has died"
    case .partOfLargerChange: "the change is part of a larger one"
    case .rolledBack: "the change was rolled back"
    case .runaway: "observers call each other in a circle"
    case .echo: "the change is the binding's own"
    }
  }
}

extension KeyValueTrace.Event: CustomStringConvertible {
  /// One line: `Person.firstName is set: "Ada" -> "Grace"`.
  public var description: String { text }

  /// The line, indented by the event's depth.
  var line: String { String(repeating: "  ", count: depth) + text }

  private var observer: String { registration?.name ?? "observer" }
  private var at: String { registration?.at ?? "" }
  private var here: String { place.map { " at \($0)" } ?? "" }
  private var told: String {
    (isPrior ? "is told in advance" : "is told") + (destination.map { " on \($0)" } ?? "")
  }
  private var by: String {
    if case .remote(let author) = origin { " from \(author.debugDescription)" } else { "" }
  }

  private var text: String {
    switch kind {
    case .registered:
      return "\(subject): \(observer)\(at), options: \(registration?.options ?? [])"
    case .ended: return "\(subject): \(observer)\(at) ends"
    case .changeBegan: return "\(subject) \(verb)\(here)\(by)\(values)"
    case .changeEnded: return "\(subject) has changed\(values)\(time)"
    case .delivered: return "\(subject): \(observer)\(at) \(told)\(through)\(values)"
    case .returned: return "\(subject): \(observer) returns\(time)"
    case .deferred:
      return "\(subject): \(observer)\(at) waits for "
        + "\(destination ?? "the transaction's end")\(through)"
    case .skipped:
      return "\(subject): \(observer)\(at) isn't told, because "
        + "\(reason.map { "\($0)" } ?? "of an unknown reason")"
    case .died: return "\(object.map { "\($0)" } ?? "an object") dies"
    case .violation: return "violation: \(KeyValueTrace.oneLine(message ?? ""))"
    }
  }

  /// What happens to the value, with the indexes of the elements: `gets elements 0–1`.
  package var verb: String {
    switch changeKind {
    case .setting: "is set"
    case .insertion: "gets elements\(atIndexes)"
    case .removal: "loses elements\(atIndexes)"
    case .replacement: "has elements replaced\(atIndexes)"
    }
  }

  private var atIndexes: String { indexes.map { " \(listing($0))" } ?? "" }

  private var through: String {
    way.isEmpty ? "" : ", " + way.map { "\($0)" }.joined(separator: ", ")
  }

  private var values: String { KeyValueTrace.Event.text(old: oldValue, new: newValue) }

  /// The end of a line, with the values that are known: `: 36 -> 37`.
  package static func text(old: KeyValueTrace.Value?, new: KeyValueTrace.Value?) -> String {
    switch (old, new) {
    case (let old?, let new?): ": \(old) -> \(new)"
    case (let old?, nil): ", was \(old)"
    case (nil, let new?): ": \(new)"
    case (nil, nil): ""
    }
  }

  private var time: String {
    duration.map { " after \(KeyValueTrace.text(nanoseconds: $0))" } ?? ""
  }

  /// The event as steps of a cause.
  var steps: [String] {
    switch kind {
    case .delivered:
      way.map { "\($0)" } + [
        registration?.role.isBinding == true ? "\(observer)\(at)" : "\(observer) of \(subject)\(at)"
      ]
    // The delivery's step covers it.
    case .deferred where destination != nil: []
    default: [text]
    }
  }
}

extension KeyValueTrace {
  /// A time in a suitable unit: `12.3 µs`.
  static func text(nanoseconds: UInt64) -> String {
    for (unit, size) in [("s", 1_000_000_000), ("ms", 1_000_000), ("µs", 1_000)]
      as [(String, UInt64)]
    where nanoseconds >= size {
      let tenths = (nanoseconds * 10 + size / 2) / size
      return "\(tenths / 10).\(tenths % 10) \(unit)"
    }
    return "\(nanoseconds) ns"
  }
}
