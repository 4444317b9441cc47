import CGtk4
import KeyValueObserving

/// A key of the elements by which GTK sorts or filters a list.
struct RowKey<Element: KeyValueObservable> {
  /// Observes the key of an element.
  let observe: (Element, @escaping (Element) -> Void) -> KeyValueObservation

  init<Value>(_ path: KeyValuePath<Element, Value>) {
    observe = { element, changed in
      element.kvo[path].observe { element, _ in changed(element) }
    }
  }
}

/// Observes the keys of a list's elements by which GTK sorts or filters it.
@MainActor
final class RowWatch<Element: KeyValueObservable> {
  /// What is known of an element.
  private final class Row {
    var observations: [KeyValueObservation] = []
    /// How often the element is in the list.
    var count = 0
    /// Where it was last: it's looked for from there.
    var place: Int

    init(_ place: Int) { self.place = place }
  }

  /// Called with an element whose key has changed.
  var changed: ((Element) -> Void)?

  private let keys: [RowKey<Element>]
  private var rows: [ObjectIdentifier: Row] = [:]
  /// The elements that have changed while GTK was being told of something else.
  private var kept: [Element] = []

  init(_ keys: [RowKey<Element>]) {
    self.keys = keys
  }

  func add(_ elements: ArraySlice<Element>, at start: Int) {
    for (place, element) in zip(start..., elements) {
      let row = rows[ObjectIdentifier(element)] ?? observed(element, place)
      row.count += 1
    }
  }

  private func observed(_ element: Element, _ place: Int) -> Row {
    let row = Row(place)
    rows[ObjectIdentifier(element)] = row
    row.observations = keys.map { key in
      key.observe(element) { [unowned self] element in
        MainThread.require("\(type(of: element)) changed, which a list in a window has,")
        onMainActor(element) { self.changed?($0) }
      }
    }
    return row
  }

  func remove(_ elements: [Element]) {
    for element in elements {
      guard let row = rows[ObjectIdentifier(element)] else { continue }
      row.count -= 1
      if row.count == 0 { rows[ObjectIdentifier(element)] = nil }
    }
  }

  func end() {
    changed = nil
    rows = [:]
    kept = []
  }

  // MARK: Elements that change

  func keepChanged(_ element: Element) {
    if !kept.contains(where: { $0 === element }) { kept.append(element) }
  }

  func takeChanged() -> [Element] {
    defer { kept = [] }
    return kept
  }

  /// Where an element is in the list.
  ///
  /// - Complexity: O(*k*), where *k* is how far the element has moved since it was last looked for. O(*n*) if
  ///   it's in the list several times.
  func places(of element: Element, in elements: [Element]) -> [Int] {
    let identity = ObjectIdentifier(element)
    guard let row = rows[identity] else { return [] }
    return elements.withIdentities { identities in
      if row.count > 1 { return identities.indices.filter { identities[$0] == identity } }
      var (before, after) = (min(row.place, identities.count - 1), row.place + 1)
      while before >= 0 || after < identities.count {
        if before >= 0, identities[before] == identity {
          row.place = before
          return [before]
        }
        if after < identities.count, identities[after] == identity {
          row.place = after
          return [after]
        }
        before -= 1
        after += 1
      }
      return []
    }
  }
}
