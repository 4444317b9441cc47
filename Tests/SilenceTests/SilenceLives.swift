import Foundation
import KeyValueObserving

// Objects that are deallocated, and observations that end with their owners.

extension SilenceRow {
  static func deaths() -> [SilenceRow] {
    [
      SilenceRow("A weak key", #"sheep.observe(\.friend…)"#) { witness in
        let (sheep, token) = (Sheep(), Keeper(Sheep()))
        sheep.friend = token.sheep
        witness.keep(sheep.observe(\.friend, options: .new, changeHandler: witness.heard))
        token.sheep = nil
      },
      SilenceRow("A key that depends on it", #"var hasFriend: Bool { friend != nil }"#) { witness in
        let (sheep, keeper) = (Sheep(), Keeper(Sheep()))
        sheep.friend = keeper.sheep
        witness.keep(
          sheep.observe(\.hasFriend, options: [.old, .new], changeHandler: witness.heard))
        keeper.sheep = nil
      },
      SilenceRow("A path through it", #"sheep.observe(\.friend?.name…)"#) { witness in
        let (sheep, keeper) = (Sheep(), Keeper(Sheep()))
        sheep.friend = keeper.sheep
        witness.keep(sheep.observe(\.friend?.name, options: .new, changeHandler: witness.heard))
        keeper.sheep = nil
      },
      SilenceRow("The same by name", #"sheep.observe("friend.name"…)"#) { witness in
        let (sheep, keeper) = (Sheep(), Keeper(Sheep()))
        sheep.friend = keeper.sheep
        witness.keep(
          try sheep.observe("friend.name", options: .new, changeHandler: witness.heard))
        keeper.sheep = nil
      },
      SilenceRow("A weak key of elements", #"herd.observe("sheep.hasFriend"…)"#) { witness in
        let (herd, keeper) = (Herd(), Keeper(Sheep()))
        herd.sheep[0].friend = keeper.sheep
        witness.keep(
          try herd.observe("sheep.hasFriend", options: .new, changeHandler: witness.heard))
        keeper.sheep = nil
      },
      SilenceRow("A binding of a weak key", #"sheep.kvo.hasFriend.bind(to: other.kvo.isHappy)"#) {
        witness in
        let (sheep, other, keeper) = (Sheep(), Sheep(), Keeper(Sheep()))
        sheep.friend = keeper.sheep
        witness.keep(
          other.observe(\.isHappy, options: .new, changeHandler: witness.heard),
          sheep.kvo.hasFriend.bind(to: other.kvo.isHappy))
        keeper.sheep = nil
      },
      SilenceRow("Values of a weak key", #"sheep.kvo.hasFriend.values(…)"#) { witness in
        let (sheep, keeper) = (Sheep(), Keeper(Sheep()))
        sheep.friend = keeper.sheep
        var values = sheep.kvo.hasFriend.values(bufferingPolicy: .unbounded).makeAsyncIterator()
        keeper.sheep = nil
        for _ in 1...2 { witness.note("\(await values.next() ?? false)") }
      },
      SilenceRow("A weak object of a class without the macro", #"weak var fear: Wolf?"#) {
        witness in
        let (sheep, keeper) = (Sheep(), Keeper(Wolf()))
        sheep.fear = keeper.sheep
        witness.keep(sheep.observe(\.fear, changeHandler: witness.heard))
        keeper.sheep = nil
      },
      SilenceRow("The observed object: values end", #"sheep?.kvo.name.values()"#) { witness in
        let keeper = Keeper(Sheep())
        var values = keeper.sheep?.kvo.name.values().makeAsyncIterator()
        keeper.sheep = nil
        while let name = await values?.next() { witness.note(name) }
        witness.note("end")
      },
    ]
  }

  static func lives() -> [SilenceRow] { tokens() + owners() }

  private static func tokens() -> [SilenceRow] {
    [
      SilenceRow("A token in a property", #"shepherd.token = sheep.observe(\.name…)"#) { witness in
        let shepherd = Shepherd()
        let sheep = Sheep()
        shepherd.token = sheep.observe(\.name, changeHandler: witness.heard)
        sheep.name = "Molly"
      },
      SilenceRow("A token that is thrown away", #"_ = sheep.observe(\.weight…)"#) { witness in
        let sheep = Sheep()
        _ = sheep.observe(\.weight, changeHandler: witness.heard)
        sheep.weight = 7
      },
      SilenceRow(
        "A token in a local variable of a function", #"let token = sheep.observe(\.isHappy…)"#
      ) {
        witness in
        let sheep = Sheep()
        func begin() {
          let token = sheep.observe(\.isHappy, changeHandler: witness.heard)
          precondition(token.isValid)
        }
        begin()
        sheep.isHappy = true
      },
      SilenceRow(
        "A token in a local variable of an asynchronous function",
        #"let token = sheep.observe(\.legs…); await Task.yield()"#
      ) { witness in
        let sheep = Sheep()
        @concurrent func begin() async {
          let token = sheep.observe(\.legs, changeHandler: witness.heard)
          await Task.yield()
          precondition(token.isValid)
        }
        await begin()
        sheep.legs = 3
      },
      SilenceRow(
        "A set of tokens that is not kept", #"sheep.observe(\.colour…).store(in: &tokens)"#
      ) {
        witness in
        let sheep = Sheep()
        func begin() {
          var tokens: Set<KeyValueObservation> = []
          sheep.observe(\.colour, changeHandler: witness.heard).store(in: &tokens)
        }
        begin()
        sheep.colour = "black"
      },
      SilenceRow(
        "A set of tokens in a property", #"sheep.observe(\.age…).store(in: &shepherd.tokens)"#
      ) {
        witness in
        let (sheep, shepherd) = (Sheep(), Shepherd())
        sheep.observe(\.age, changeHandler: witness.heard).store(in: &shepherd.tokens)
        sheep.age = 7
        shepherd.tokens = []
      },
      SilenceRow("An observer object", #"sheep.addObserver(shepherd, forKeyPath: "name")"#) {
        witness in
        let (sheep, shepherd) = (Sheep(), Shepherd())
        shepherd.witness = witness
        try sheep.addObserver(shepherd, forKeyPath: "name")
        sheep.name = "Molly"
      },
      SilenceRow(
        "A change on another thread", #"onThread(named: "shearing") { sheep.age = 7 }"#
      ) { witness in
        nonisolated(unsafe) let sheep = Sheep()
        witness.keep(
          sheep.observe(\.age) { _, change in
            witness.note(
              "\(change) on the thread '\(Thread.current.threadDictionary["name"] ?? "")'")
          })
        onThread(named: "shearing") { sheep.age = 7 }
      },
      SilenceRow("Removing an observer that is not there", #"sheep.removeObserver(Shepherd()…)"#) {
        _ in
        let sheep = Sheep()
        try sheep.removeObserver(Shepherd(), forKeyPath: "name")
      },
    ]
  }

  private static func owners() -> [SilenceRow] {
    [
      SilenceRow(
        "A controller that ends where it was made",
        #"let observers = KeyValueObserverController(owner: shepherd)"#
      ) { witness in
        let (sheep, shepherd) = (Sheep(), Shepherd())
        func begin() {
          let observers = KeyValueObserverController(owner: shepherd)
          observers.observe(sheep.kvo.wool) { _, object, change in witness.heard(object, change) }
        }
        begin()
        sheep.wool = 7
      },
      SilenceRow(
        "A controller in its owner",
        #"lazy var observers = KeyValueObserverController(owner: self)"#
      ) {
        witness in
        let (sheep, shepherd) = (Sheep(), Shepherd())
        shepherd.observers.observe(sheep.kvo.wool) { _, object, change in
          witness.heard(object, change)
        }
        sheep.wool = 7
      },
      SilenceRow("A binding that is not kept", #"_ = sheep.kvo.legs.bind(to: other.kvo.legs)"#) {
        witness in
        let (sheep, other) = (Sheep(), Sheep())
        _ = sheep.kvo.legs.bind(to: other.kvo.legs)
        sheep.legs = 3
        if other.legs == 3 { witness.note("3 legs") }
      },
      SilenceRow(
        "A two-way binding that is not kept", #"_ = sheep.kvo.ears.bindTwoWay(to: other.kvo.ears)"#
      ) {
        witness in
        let (sheep, other) = (Sheep(), Sheep())
        _ = sheep.kvo.ears.bindTwoWay(to: other.kvo.ears)
        sheep.ears = 3
        if other.ears == 3 { witness.note("3 ears") }
      },
      SilenceRow(
        "A token of an initial value that is not kept",
        #"_ = sheep.observe(\.name, options: .initial…)"#
      ) { witness in
        let sheep = Sheep()
        _ = sheep.observe(\.name, options: .initial, changeHandler: witness.heard)
        witness.forget()
        sheep.name = "Molly"
      },
      SilenceRow(
        "A recorder that is not kept", #"try KeyValueChangeRecorder().record(sheep, "name")"#
      ) {
        _ in
        let sheep = Sheep()
        try KeyValueChangeRecorder().record(sheep, "name")
        sheep.name = "Molly"
      },
      SilenceRow(
        "A log that is not kept, with its token",
        #"let log = try KeyValueChangeLog(of: ewe); return log.observe…"#
      ) { witness in
        let ewe = Ewe()
        func begin() throws -> KeyValueObservation {
          let log = try KeyValueChangeLog(of: ewe)
          return log.observe { witness.note("\($0)") }
        }
        witness.keep(try begin())
        ewe.lambs = 2
      },
    ]
  }

  /// Keys that the macro can't see, because they aren't in the class's body.
  static func keys() -> [SilenceRow] {
    [
      SilenceRow("A type's variable", #"var limit: Int { Wolf.limit }"#) { witness in
        let sheep = Sheep()
        witness.keep(sheep.observe(\.limit, changeHandler: witness.heard))
        Wolf.limit = 7
      },
      SilenceRow(
        "A class function of a key, in an extension",
        #"extension Sheep…static func keyPathsForValuesAffectingShorn() -> Set<String> { ["wool"] }"#
      ) { witness in
        let sheep = Sheep()
        witness.keep(sheep.observe(\.shorn, changeHandler: witness.heard))
        sheep.wool = 7
      },
      SilenceRow(
        "A validator in an extension",
        #"extension Sheep…func validateAge(_ value: inout Int) throws"#
      ) { _ in
        var age: Any? = -1
        try Sheep().validateValue(&age, forKey: "age")
      },
    ]
  }
}

private final class Keeper<Object: AnyObject> {
  var sheep: Object?

  init(_ sheep: Object) {
    self.sheep = sheep
  }
}

private final class Wolf {
  nonisolated(unsafe) static var limit = 1
}

@KeyValueObservable
private final class Ewe {
  var lambs = 1
}

@KeyValueObservable
private final class Sheep: CustomStringConvertible {
  var name = "Dolly"
  var weight = 1
  var age = 1
  var wool = 1
  var legs = 4
  var ears = 2
  var colour = "white"
  var isHappy = false
  weak var friend: Sheep?
  weak var fear: Wolf?
  var hasFriend: Bool { friend != nil }
  var shorn: String { name }
  var limit: Int { Wolf.limit }
  var description: String { "Sheep" }
}

extension Sheep {
  static func keyPathsForValuesAffectingShorn() -> Set<String> { ["wool"] }
  func validateAge(_ value: inout Int) throws { throw Unwanted() }
}

private struct Unwanted: Error {}

@KeyValueObservable
private final class Herd {
  var sheep = [Sheep(), Sheep()]
}

private final class Shepherd: KeyValueObserver {
  var token: KeyValueObservation?
  var tokens: Set<KeyValueObservation> = []
  var witness: Witness?
  lazy var observers = KeyValueObserverController(owner: self)

  func observeValue(
    forKeyPath keyPath: String, of object: any KeyValueObservable,
    change: KeyValueObservedChange<Any?>, context: UnsafeMutableRawPointer?
  ) {
    witness?.heard(object, change)
  }
}

/// Runs a closure on a new thread, and waits until it finishes.
private func onThread(named name: String, _ body: @escaping @Sendable () -> Void) {
  let ended = DispatchSemaphore(value: 0)
  let thread = Thread {
    // On Linux, Foundation's `name` of a thread returns a truncated name, or that of another thread.
    Thread.current.threadDictionary["name"] = name
    body()
    ended.signal()
  }
  thread.start()
  ended.wait()
}
