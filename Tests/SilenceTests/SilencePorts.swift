import Foundation
import KeyValueObserving
import KeyValueTestSupport
import Observation
import Synchronization

// Cocoa idioms in ported code.

extension SilenceRow {
  static func ports() -> [SilenceRow] { pairs() + coding() + shapes() }

  private static func pairs() -> [SilenceRow] {
    [
      SilenceRow(
        "A pair of calls",
        #"willChangeValue(forKey: "level"); level = 7; didChangeValue(forKey: "level")"#
      ) { witness in
        let tank = Tank()
        witness.keep(tank.observe(\.level, options: [.old, .new], changeHandler: witness.heard))
        tank.willChangeValue(forKey: "level")
        tank.level = 7
        tank.didChangeValue(forKey: "level")
      },
      SilenceRow("The pair kept together", #"tank.withChange(of: \.level) { tank.level = 7 }"#) {
        witness in
        let tank = Tank()
        witness.keep(tank.observe(\.level, options: [.old, .new], changeHandler: witness.heard))
        tank.withChange(of: \.level) { tank.level = 7 }
      },
      SilenceRow("A pair without its beginning", #"tank.didChangeValue(forKey: "level")"#) {
        witness in
        let tank = Tank()
        witness.keep(tank.observe(\.level, options: [.old, .new], changeHandler: witness.heard))
        tank.level = 7
        tank.didChangeValue(forKey: "level")
      },
      SilenceRow("A pair without its end", #"tank.willChangeValue(forKey: "level")"#) { witness in
        let tank = Tank()
        witness.keep(tank.observe(\.level, options: [.old, .new], changeHandler: witness.heard))
        tank.willChangeValue(forKey: "level")
        tank.level = 7
      },
      SilenceRow("A pair of a key that does not exist", #"tank.willChangeValue(forKey: "levle")"#) {
        witness in
        let tank = Tank()
        witness.keep(tank.observe(\.level, options: [.old, .new], changeHandler: witness.heard))
        tank.willChangeValue(forKey: "levle")
        tank.level = 7
        tank.didChangeValue(forKey: "levle")
      },
      SilenceRow(
        "Under Operation, a pair by path", #"download.willChangeValue(for: \.received)"#
      ) { witness in
        let download = Download()
        witness.keep(download.observe(\.received, options: .new, changeHandler: witness.heard))
        download.willChangeValue(for: \.received)
        download.received = 7
        download.didChangeValue(for: \.received)
      },
      SilenceRow(
        "Under Operation, a state in a lock and Foundation's pair",
        #"willChangeValue(forKey: "isFinished"); state.withLock { $0 = true }; didChangeValue(forKey: "isFinished")"#
      ) { witness in
        let download = Download()
        witness.keep(download.observe(\.isFinished, changeHandler: witness.heard))
        download.finish()
      },
      SilenceRow("Under Operation, an assignment", #"class Download: Operation…var size = 1"#) {
        witness in
        let download = Download()
        witness.keep(download.observe(\.size, options: .new, changeHandler: witness.heard))
        download.size = 7
      },
      SilenceRow(
        "Dependencies by name",
        #"class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String>"#
      ) { witness in
        let tank = Tank()
        witness.keep(tank.observe(\.gauge, options: .new, changeHandler: witness.heard))
        tank.volume = 7
      },
    ]
  }

  private static func coding() -> [SilenceRow] {
    [
      SilenceRow(
        "value(forKey:) of the class's own", #"func value(forKey key: String) throws -> Any?"#
      ) {
        witness in
        witness.note("\(try Tank().value(forKeyPath: "guests.@count") ?? "nil")")
      },
      SilenceRow("An equal value", #"tank.volume = 2"#) { witness in
        let tank = Tank()
        witness.keep(tank.observe(\.volume, options: [.old, .new], changeHandler: witness.heard))
        tank.volume = 2
      },
      SilenceRow("Setting by name", #"try tank.setValue(7, forKey: "volume")"#) { witness in
        let tank = Tank()
        witness.keep(tank.observe(\.volume, options: .new, changeHandler: witness.heard))
        try tank.setValue(7, forKey: "volume")
      },
      SilenceRow("Setting a constant by name", #"try tank.setValue(7, forKey: "kind")"#) { _ in
        let tank = Tank()
        try tank.setValue(7, forKey: "kind")
      },
      SilenceRow("Setting another type", #"try tank.setValue("7", forKey: "volume")"#) { _ in
        let tank = Tank()
        try tank.setValue("7", forKey: "volume")
      },
      SilenceRow("nil where there is none", #"try tank.setValue(nil, forKey: "volume")"#) { _ in
        let tank = Tank()
        try tank.setValue(nil, forKey: "volume")
      },
      SilenceRow("A proxy", #"tank.mutableArrayValue(for: \.fish).append("cod")"#) { witness in
        let tank = Tank()
        witness.keep(tank.observe(\.fish, options: .new, changeHandler: witness.heard))
        tank.mutableArrayValue(for: \.fish).append("cod")
      },
      SilenceRow(
        "A proxy of what is no collection", #"try tank.mutableArrayValue(forKey: "volume")"#
      ) {
        _ in
        let tank = Tank()
        _ = try tank.mutableArrayValue(forKey: "volume")
      },
      SilenceRow(
        "Accessors in Objective-C's spelling",
        #"func insertObject(_ plant: String, inPlantsAtIndex index: Int)"#
      ) { witness in
        let tank = Tank()
        witness.keep(try tank.observe("plants", options: .new, changeHandler: witness.heard))
        try tank.mutableArrayValue(forKey: "plants").append("fern")
      },
    ]
  }

  private static func shapes() -> [SilenceRow] {
    [
      SilenceRow("didSet in init", #"init() { volume = 2 }…didSet { runs += 1 }"#) { witness in
        let tank = Tank()
        witness.note("\(tank.runs) runs")
        tank.volume = 7
        witness.note("\(tank.runs) run")
      },
      SilenceRow("A decoded object", #"final class Note: Codable"#) { witness in
        let note = try JSONDecoder().decode(Note.self, from: Data(#"{"text": "a"}"#.utf8))
        witness.keep(note.observe(\.text, options: [.old, .new], changeHandler: witness.heard))
        note.text = "b"
      },
      SilenceRow("Mirror", #"Mirror(reflecting: Note()).children"#) { witness in
        for child in Mirror(reflecting: Note()).children { witness.note(child.label ?? "") }
      },
      SilenceRow("Observation", #"@KeyValueObservable(tracking: true)"#) { witness in
        let (lamp, tracked) = (Lamp(), AtomicList())
        withObservationTracking {
          _ = lamp.isOn
        } onChange: {
          tracked.append("tracked")
        }
        lamp.isOn = true
        for line in tracked.take() { witness.note(line) }
      },
      SilenceRow("A Mutex", #"let state = Mutex(0)"#) { witness in
        let lock = Locked()
        witness.keep(try lock.observe("state", changeHandler: witness.heard))
      },
      SilenceRow("A class under NSObject", #"final class View: NSObject"#) { witness in
        let view = View()
        witness.keep(view.observe(\.alpha, options: .new, changeHandler: witness.heard))
        view.alpha = 0.5
      },
    ]
  }
}

@KeyValueObservable
private final class Tank {
  @NotifiesManually var level = 1
  var volume = 1 { didSet { runs += 1 } }
  var fish: [String] = []
  let kind = 1
  @KeyValueIgnored var runs = 0
  @KeyValueIgnored private var grown: [String] = []
  var gauge: String { read() }

  init() { volume = 2 }

  class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
    key == "gauge" ? ["volume"] : []
  }

  func value(forKey key: String) throws -> Any? {
    if key == "guests" { return ["Ada"] }
    return try (self as any KeyValueObservable).value(forKey: key)
  }

  func countOfPlants() -> Int { grown.count }
  func objectInPlantsAtIndex(_ index: Int) -> String { grown[index] }
  func insertObject(_ plant: String, inPlantsAtIndex index: Int) { grown.insert(plant, at: index) }
  func removeObjectFromPlantsAtIndex(_ index: Int) { grown.remove(at: index) }
}

extension Tank {
  fileprivate func read() -> String { "\(volume) l" }
}

@KeyValueObservable
private class Download: Operation, @unchecked Sendable {
  @NotifiesManually var received = 0
  var size = 1
  @KeyValueIgnored private let state = Mutex(false)
  override var isFinished: Bool { state.withLock { $0 } }

  func finish() {
    willChangeValue(forKey: "isFinished")
    state.withLock { $0 = true }
    didChangeValue(forKey: "isFinished")
  }
}

@KeyValueObservable
private final class Note: Codable {
  var text = ""
}

@KeyValueObservable
private final class View: NSObject {
  var alpha = 1.0
}

@KeyValueObservable(tracking: true)
private final class Lamp {
  var isOn = false
}

@KeyValueObservable
private final class Locked {
  let state = Mutex(0)
}
