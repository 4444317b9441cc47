/// What was described beside what was announced.
struct Comparison {
  private let expected: [ExpectedChange]
  private let announced: [AnnouncedChange]
  private let names: ObjectNames

  init(_ expected: ExpectedChanges, _ announced: [AnnouncedChange], _ names: ObjectNames) {
    self.expected = arranged(expected.steps, beside: announced)
    self.announced = announced
    self.names = names
  }

  /// Whether each announced change is the described one at its place.
  var isMet: Bool {
    expected.count == announced.count
      && zip(expected, announced).allSatisfy { $0.matches($1) }
  }

  /// Both lists line by line.
  var difference: String {
    // The announced changes are named first, as they were announced.
    let announcedTexts = announced.map(\.description)
    let expectedTexts = expected.map { $0.text(names) }
    return Difference(expected.count, announced.count) { expected[$0].matches(announced[$1]) }
      .text(
        both: { announcedTexts[$0] },
        described: { placed(expectedTexts[$0], expected[$0].place) },
        happened: { placed(announcedTexts[$0], announced[$0].place) })
  }

  private func placed(_ text: String, _ place: KeyValueTrace.Place?) -> String {
    place.map { "\(text)  // \($0)" } ?? text
  }

  /// The described paths that aren't among the observed ones, in the words of a sentence; nil if there are none.
  func unobserved(_ isObserved: (ChangeSubject) -> Bool) -> String? {
    var texts: [String] = []
    for change in expected where !isObserved(change.subject) {
      let text = change.subject.text(names)
      if !texts.contains(text) { texts.append(text) }
    }
    guard !texts.isEmpty else { return nil }
    return texts.joined(separator: ", ") + (texts.count == 1 ? " is" : " are")
      + " described, but not observed here."
  }
}

/// The described changes, with those whose order doesn't count in the order in which they were announced.
private func arranged(
  _ steps: [ExpectedChanges.Step], beside announced: [AnnouncedChange]
) -> [ExpectedChange] {
  var result: [ExpectedChange] = []
  var position = 0
  for step in steps {
    switch step {
    case .one(let change):
      result.append(change)
      if let index = announced.indices.dropFirst(position).first(where: {
        change.matches(announced[$0])
      }) {
        position = index + 1
      }
    case .inAnyOrder(let changes):
      let next = announced.dropFirst(position).prefix(changes.count)
      let order = matching(changes, Array(next))
      result += order
      position += next.count
    }
  }
  return result
}

/// The changes in an order in which as many as possible match those beside them.
///
/// A description that leaves something out may match several, so pairs are exchanged until no more fit.
private func matching(
  _ changes: [ExpectedChange], _ announced: [AnnouncedChange]
) -> [ExpectedChange] {
  var partners = [Int?](repeating: nil, count: announced.count)

  func assign(_ change: Int, _ tried: inout Set<Int>) -> Bool {
    for index in announced.indices
    where changes[change].matches(announced[index]) && tried.insert(index).inserted {
      if let partner = partners[index], !assign(partner, &tried) { continue }
      partners[index] = change
      return true
    }
    return false
  }
  for change in changes.indices {
    var tried: Set<Int> = []
    _ = assign(change, &tried)
  }
  let assigned = Set(partners.compactMap { $0 })
  var rest = changes.indices.filter { !assigned.contains($0) }.makeIterator()
  let order = partners.compactMap { $0 ?? rest.next() }
  return (order + Array(IteratorSequence(rest))).map { changes[$0] }
}
