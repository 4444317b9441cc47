import KeyValueObserving

// Bindings, sequences and the recorder.

extension SilenceRow {
  static func bindings() -> [SilenceRow] {
    [
      SilenceRow("A binding", #"dial.kvo.degrees.bind(to: entry.kvo.number)"#) { witness in
        let (dial, entry) = (Dial(), Entry())
        witness.keep(
          entry.observe(\.number, options: .new, changeHandler: witness.heard),
          dial.kvo.degrees.bind(to: entry.kvo.number))
        dial.degrees = 30
      },
      SilenceRow(
        "Of an optional value, with a placeholder",
        #"dial.kvo.unit.bind(to: entry.kvo.text, placeholder: "–")"#
      ) {
        witness in
        let (dial, entry) = (Dial(), Entry())
        witness.keep(
          entry.observe(\.text, options: .new, changeHandler: witness.heard),
          dial.kvo.unit.bind(to: entry.kvo.text, placeholder: "–"))
        dial.unit = "°C"
      },
      SilenceRow(
        "To a key behind an object that is nil",
        #"dial.kvo.degrees.bind(to: panel.kvo.spare.degrees)"#
      ) {
        witness in
        let (dial, panel, spare) = (Dial(), Panel(), Dial())
        witness.keep(
          spare.observe(\.degrees, options: .new, changeHandler: witness.heard),
          dial.kvo.degrees.bind(to: panel.kvo.spare.degrees))
        dial.degrees = 30
        panel.spare = spare
      },
      SilenceRow(
        "From a member of a structure that reads an object",
        #"panel.kvo.gauge.degrees.bind(to: entry.kvo.number)"#
      ) {
        witness in
        let (panel, entry) = (Panel(), Entry())
        witness.keep(
          entry.observe(\.number, options: .new, changeHandler: witness.heard),
          panel.kvo.gauge.degrees.bind(to: entry.kvo.number))
        panel.gauge.dial.degrees = 30
      },
      SilenceRow(
        "To a key that has no setter", #"dial.kvo.degrees.bind(to: other.kvo.half)"#
      ) {
        witness in
        let (dial, other) = (Dial(), Dial())
        witness.keep(dial.kvo.degrees.bind(to: other.kvo.half))
        dial.degrees = 30
      },
      SilenceRow(
        "A transformation that throws",
        #"dial.kvo.degrees.bind(to: entry.kvo.text) { try word($0) }"#
      ) {
        witness in
        let (dial, entry) = (Dial(), Entry())
        witness.keep(dial.kvo.degrees.bind(to: entry.kvo.text) { try word($0) })
        dial.degrees = 30
      },
      SilenceRow(
        "A way back that throws",
        #"dial.kvo.degrees.bindTwoWay(to: entry.kvo.text, transformer: words)"#
      ) {
        witness in
        let (dial, entry) = (Dial(), Entry())
        let words = KeyValueTransformer<Int, String>(
          forward: { "\($0)" }, backward: { _ in throw Unreadable() })
        witness.keep(dial.kvo.degrees.bindTwoWay(to: entry.kvo.text, transformer: words))
        entry.text = "warm"
      },
      SilenceRow(
        "A value that validation refuses",
        #"dial.kvo.degrees.bind(to: entry.kvo.age, validates: true)"#
      ) {
        witness in
        let (dial, entry) = (Dial(), Entry())
        witness.keep(dial.kvo.degrees.bind(to: entry.kvo.age, validates: true))
        dial.degrees = -30
      },
      SilenceRow("Two ways", #"dial.kvo.degrees.bindTwoWay(to: entry.kvo.number)"#) { witness in
        let (dial, entry) = (Dial(), Entry())
        witness.keep(
          dial.observe(\.degrees, options: .new, changeHandler: witness.heard),
          dial.kvo.degrees.bindTwoWay(to: entry.kvo.number))
        entry.number = 30
      },
      SilenceRow(
        "Two ways, of a key that has no setter", #"dial.kvo.half.bindTwoWay(to: entry.kvo.number)"#
      ) {
        witness in
        let (dial, entry) = (Dial(), Entry())
        witness.keep(dial.kvo.half.bindTwoWay(to: entry.kvo.number))
        entry.number = 30
      },
      SilenceRow("Of a member that is no key", #"dial.kvo.memo.bind(to: entry.kvo.number)"#) {
        witness in
        let (dial, entry) = (Dial(), Entry())
        witness.keep(dial.kvo.memo.bind(to: entry.kvo.number))
        dial.memo = 30
      },
    ]
  }

  static func sequences() -> [SilenceRow] {
    [
      SilenceRow("Values", #"dial.kvo.degrees.values(…)"#) { witness in
        let dial = Dial()
        var values = dial.kvo.degrees.values(bufferingPolicy: .unbounded).makeAsyncIterator()
        dial.degrees = 30
        for _ in 1...2 { witness.note("\(await values.next() ?? 0)") }
      },
      SilenceRow("Values, the newest only", #"let values = dial.kvo.degrees.values()"#) {
        witness in
        let dial = Dial()
        let values = dial.kvo.degrees.values()
        var iterator = values.makeAsyncIterator()
        for degrees in 28...30 { dial.degrees = degrees }
        witness.note("\(await iterator.next() ?? 0), \(values.droppedCount) dropped")
      },
      SilenceRow("Changes", #"dial.kvo.degrees.changes(options: [.old, .new])"#) { witness in
        let dial = Dial()
        var changes = dial.kvo.degrees.changes(options: [.old, .new]).makeAsyncIterator()
        dial.degrees = 30
        if let change = await changes.next() { witness.heard(dial, change) }
      },
      SilenceRow("A misspelt key", #"try dial.kvo("degress")"#) { _ in
        let dial = Dial()
        _ = try dial.kvo("degress").values()
      },
      SilenceRow("A member that is no key", #"dial.kvo.memo.values()"#) { witness in
        let dial = Dial()
        var values = dial.kvo.memo.values().makeAsyncIterator()
        dial.memo = 30
        while let value = await values.next() { witness.note("\(value)") }
      },
      SilenceRow("A second iterator", #"let both = dial.kvo.degrees.values(…)"#) { witness in
        let dial = Dial()
        let both = dial.kvo.degrees.values(bufferingPolicy: .unbounded)
        var (first, second) = (both.makeAsyncIterator(), both.makeAsyncIterator())
        dial.degrees = 30
        for _ in 1...2 { witness.note("\(await first.next() ?? 0)") }
        for _ in 1...2 { witness.note("\(await second.next() ?? 0)") }
      },
    ]
  }

  static func recorder() -> [SilenceRow] {
    [
      SilenceRow("A key", #"recorder.record(dial, "degrees")"#) { witness in
        let (dial, recorder) = (Dial(), KeyValueChangeRecorder())
        try recorder.record(dial, "degrees")
        dial.degrees = 30
        witness.note("\(try recorder.undo()): \(dial.degrees)")
      },
      SilenceRow("Keys of a collection's elements", #"recorder.record(panel, "dials.degrees")"#) {
        witness in
        let (panel, recorder) = (Panel(), KeyValueChangeRecorder())
        try recorder.record(panel, "dials.degrees")
        panel.dials[0].degrees = 30
        witness.note("\(try recorder.undo()): \(panel.dials[0].degrees)")
      },
      SilenceRow(
        "Elements that come later", #"recorder.record(panel, "dials.half", "dials.degrees")"#
      ) {
        witness in
        let (panel, recorder) = (Panel(), KeyValueChangeRecorder())
        try recorder.record(panel, "dials.half", "dials.degrees")
        panel.dials[0].degrees = 30
        witness.note("\(try recorder.undo()): \(panel.dials[0].degrees)")
      },
      SilenceRow("No keys at all", #"recorder.record(dial)"#) { _ in
        let (dial, recorder) = (Dial(), KeyValueChangeRecorder())
        try recorder.record(dial)
      },
      SilenceRow("A misspelt key", #"recorder.record(dial, "degress")"#) { _ in
        let (dial, recorder) = (Dial(), KeyValueChangeRecorder())
        try recorder.record(dial, "degress")
      },
      SilenceRow("A key without a setter", #"recorder.record(dial, "half")"#) { _ in
        let (dial, recorder) = (Dial(), KeyValueChangeRecorder())
        try recorder.record(dial, "half")
      },
      SilenceRow("A path through self", #"recorder.record(panel, "main.self.degrees")"#) {
        witness in
        let (panel, recorder) = (Panel(), KeyValueChangeRecorder())
        try recorder.record(panel, "main.self.degrees")
        panel.main.degrees = 30
        witness.note("\(try recorder.undo()): \(panel.main.degrees)")
      },
      SilenceRow(
        "Undoing in an observer of the change",
        #"dial.observe(\.degrees) { _, _ in … try recorder.undo() … }"#
      ) { witness in
        let (dial, recorder) = (Dial(), KeyValueChangeRecorder())
        try recorder.record(dial, "degrees")
        let token = dial.observe(\.degrees) { _, _ in
          do { try recorder.undo() } catch { witness.note("throws \(error)") }
        }
        dial.degrees = 30
        witness.keep(token)
      },
    ]
  }
}

private struct Unreadable: Error, CustomStringConvertible {
  var description: String { "that is no number." }
}

private func word(_ number: Int) throws -> String {
  if number > 20 { throw Unreadable() }
  return "\(number)"
}

@KeyValueObservable
private final class Dial {
  var degrees = 20
  var unit: String?
  var half: Int { degrees / 2 }
  @KeyValueIgnored var memo = 1
}

@KeyValueObservable
private final class Panel {
  var main = Dial()
  var spare: Dial?
  var dials = [Dial()]
  var gauge = Gauge()
}

private struct Gauge {
  let dial = Dial()
  var degrees: Int { dial.degrees }
}

@KeyValueObservable
private final class Entry {
  var number = 0
  var text = ""
  var age = 0

  func validateAge(_ value: inout Int) throws {
    if value < 0 { throw Unreadable() }
  }
}
