import KeyValueObserving

// Bindings, sequences and the recorder.

extension SilenceRow {
  static func bindings() -> [SilenceRow] {
    [
      SilenceRow("A binding", #"dial.bind(\.degrees, to: entry, \.number)"#) { witness in
        let (dial, entry) = (Dial(), Entry())
        witness.keep(
          entry.observe(\.number, options: .new, changeHandler: witness.heard),
          dial.bind(\.degrees, to: entry, \.number))
        dial.degrees = 30
      },
      SilenceRow(
        "Of an optional value, with a placeholder",
        #"dial.bind(\.unit, to: entry, \.text, placeholder: "–")"#
      ) {
        witness in
        let (dial, entry) = (Dial(), Entry())
        witness.keep(
          entry.observe(\.text, options: .new, changeHandler: witness.heard),
          dial.bind(\.unit, to: entry, \.text, placeholder: "–"))
        dial.unit = "°C"
      },
      SilenceRow("To a class without the macro", #"dial.bind(\.degrees, to: label, \.number)"#) {
        witness in
        let (dial, label) = (Dial(), Label())
        witness.keep(dial.bind(\.degrees, to: label, \.number))
        dial.degrees = 30
        witness.note("\(label.number)")
      },
      SilenceRow(
        "A transformation that throws", #"dial.bind(\.degrees, to: entry, \.text) { try word($0) }"#
      ) {
        witness in
        let (dial, entry) = (Dial(), Entry())
        witness.keep(dial.bind(\.degrees, to: entry, \.text) { try word($0) })
        dial.degrees = 30
      },
      SilenceRow(
        "A way back that throws",
        #"dial.bindTwoWay(\.degrees, to: entry, \.text, transformer: words)"#
      ) {
        witness in
        let (dial, entry) = (Dial(), Entry())
        let words = KeyValueTransformer<Int, String>(
          forward: { "\($0)" }, backward: { _ in throw Unreadable() })
        witness.keep(dial.bindTwoWay(\.degrees, to: entry, \.text, transformer: words))
        entry.text = "warm"
      },
      SilenceRow(
        "A value that validation refuses",
        #"dial.bind(\.degrees, to: entry, \.age, validates: true)"#
      ) {
        witness in
        let (dial, entry) = (Dial(), Entry())
        witness.keep(dial.bind(\.degrees, to: entry, \.age, validates: true))
        dial.degrees = -30
      },
      SilenceRow("Two ways", #"dial.bindTwoWay(\.degrees, to: entry, \.number)"#) { witness in
        let (dial, entry) = (Dial(), Entry())
        witness.keep(
          dial.observe(\.degrees, options: .new, changeHandler: witness.heard),
          dial.bindTwoWay(\.degrees, to: entry, \.number))
        entry.number = 30
      },
      SilenceRow(
        "Two ways, of a key that has no setter", #"dial.bindTwoWay(\.half, to: entry, \.number)"#
      ) {
        witness in
        let (dial, entry) = (Dial(), Entry())
        witness.keep(dial.bindTwoWay(\.half, to: entry, \.number))
        entry.number = 30
      },
      SilenceRow("Of a member that is no key", #"dial.bind(\.memo, to: entry, \.number)"#) {
        witness in
        let (dial, entry) = (Dial(), Entry())
        witness.keep(dial.bind(\.memo, to: entry, \.number))
        dial.memo = 30
      },
    ]
  }

  static func sequences() -> [SilenceRow] {
    [
      SilenceRow("Values", #"dial.values(of: \.degrees…)"#) { witness in
        let dial = Dial()
        var values = dial.values(of: \.degrees, bufferingPolicy: .unbounded).makeAsyncIterator()
        dial.degrees = 30
        for _ in 1...2 { witness.note("\(await values.next() ?? 0)") }
      },
      SilenceRow("Values, the newest only", #"let values = dial.values(of: \.degrees)"#) {
        witness in
        let dial = Dial()
        let values = dial.values(of: \.degrees)
        var iterator = values.makeAsyncIterator()
        for degrees in 28...30 { dial.degrees = degrees }
        witness.note("\(await iterator.next() ?? 0), \(values.droppedCount) dropped")
      },
      SilenceRow("Changes", #"dial.changes(of: \.degrees, options: [.old, .new])"#) { witness in
        let dial = Dial()
        var changes = dial.changes(of: \.degrees, options: [.old, .new]).makeAsyncIterator()
        dial.degrees = 30
        if let change = await changes.next() { witness.heard(dial, change) }
      },
      SilenceRow("A misspelt key", #"dial.values(of: "degress")"#) { _ in
        let dial = Dial()
        _ = try dial.values(of: "degress")
      },
      SilenceRow("A member that is no key", #"dial.values(of: \.memo)"#) { witness in
        let dial = Dial()
        var values = dial.values(of: \.memo).makeAsyncIterator()
        dial.memo = 30
        while let value = await values.next() { witness.note("\(value)") }
      },
      SilenceRow("A second iterator", #"let both = dial.values(of: \.degrees…)"#) { witness in
        let dial = Dial()
        let both = dial.values(of: \.degrees, bufferingPolicy: .unbounded)
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

private final class Label {
  var number = 0
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
  var dials = [Dial()]
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
