import FoundationKVO
import Testing

/// What settings and objects have in common, as the page *Porting from Cocoa* tells a porter to write it.
private protocol Observed: AnyObject {
  func addObserver(
    _ observer: NSObject, forKeyPath keyPath: String, options: NSKeyValueObservingOptions,
    context: UnsafeMutableRawPointer?)
  func removeObserver(_ observer: NSObject, forKeyPath keyPath: String)
  func value(forKeyPath keyPath: String) -> Any?
}

extension NSObject: Observed {}
extension UserDefaults: Observed {}

@KeyValueObservable
private final class Sketch: NSObject {
  dynamic var title = "a"
}

private final class AnyWatcher: NSObject {
  private let object: any Observed
  private(set) var values: [Any?] = []

  init(_ object: any Observed) {
    self.object = object
    super.init()
    object.addObserver(self, forKeyPath: "title", options: .new, context: nil)
  }

  func end() { object.removeObserver(self, forKeyPath: "title") }

  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
    context: UnsafeMutableRawPointer?
  ) {
    values += [change?[.newKey], self.object.value(forKeyPath: "title")]
  }
}

/// Settings with a reader of their own.
private final class ReadDefaults: UserDefaults {
  /// What's read, from what is stored; nil if that's the same.
  var reader: ((Any?) -> Any?)?

  override func object(forKey defaultName: String) -> Any? {
    let stored = super.object(forKey: defaultName)
    guard let reader else { return stored }
    return reader(stored)
  }
}

@Suite("UserDefaults: observers")
struct UserDefaultsObservingTests {
  @Test("settings and objects are observed through a protocol that both conform to")
  func inPlaceOfObjects() {
    withSuite { defaults, _ in
      let sketch = Sketch()
      let watchers = [AnyWatcher(defaults), AnyWatcher(sketch)]
      defaults.set("b", forKey: "title")
      sketch.title = "c"
      #expect(watchers[0].values as? [String] == ["b", "b"])
      #expect(watchers[1].values as? [String] == ["c", "c"])
      for watcher in watchers { watcher.end() }
      defaults.set("d", forKey: "title")
      sketch.title = "e"
      #expect(watchers.map(\.values.count) == [2, 2])
    }
  }

  @Test("Observers receive initial and prior changes, their context and the observed object")
  func options() {
    withSuite { defaults, _ in
      let history = History()
      let observer = HistoryObserver(history)
      defaults.set(1, forKey: "key")
      defaults.addObserver(
        observer, forKeyPath: "key", options: [.initial, .prior, .old, .new], context: nil)
      let token = defaults.observe("key", options: [.initial, .prior, .old, .new]) {
        let change = $1
        history.add(
          "closure \($0 === defaults) \(change.isPrior) \(change.oldValue as Any) "
            + "\(change.newValue as Any)")
      }
      defaults.set(2, forKey: "key")
      defaults.set(2, forKey: "key")
      #expect(
        history.take() == [
          "key new 1", "closure true false nil Optional(Optional(1))", "key prior old 1",
          "closure true true Optional(Optional(1)) nil", "key old 1 new 2",
          "closure true false Optional(Optional(1)) Optional(Optional(2))",
        ])
      token.invalidate()
      var byte: UInt8 = 0
      withUnsafeMutableBytes(of: &byte) { context in
        defaults.addObserver(observer, forKeyPath: "key", context: context.baseAddress)
        defaults.removeObserver(observer, forKeyPath: "key", context: context.baseAddress)
      }
      defaults.set(3, forKey: "key")
      #expect(history.take() == ["key prior old 2", "key old 2 new 3"])
      defaults.removeObserver(observer, forKeyPath: "key", context: nil)
    }
  }

  @Test("An observer that another's prior removes isn't called, also if it's added again")
  func removalInPrior() {
    withSuite { defaults, _ in
      let history = History()
      let (removed, moved) = (
        HistoryObserver(history, name: "removed "), HistoryObserver(history, name: "moved ")
      )
      var last: NSKeyValueObservation?
      let first = defaults.observe("key", options: [.prior]) { defaults, change in
        history.add("first \(change.isPrior)")
        guard change.isPrior, let token = last else { return }
        last = nil
        token.invalidate()
        defaults.removeObserver(removed, forKeyPath: "key")
        defaults.removeObserver(moved, forKeyPath: "key")
        defaults.addObserver(moved, forKeyPath: "key", options: [.prior, .new], context: nil)
      }
      for observer in [removed, moved] {
        defaults.addObserver(observer, forKeyPath: "key", options: [.prior, .new], context: nil)
      }
      last = defaults.observe("key", options: [.prior]) { _, change in
        history.add("last \(change.isPrior)")
      }
      defaults.set(1, forKey: "key")
      #expect(history.take() == ["first true", "first false"])
      defaults.set(2, forKey: "key")
      #expect(
        history.take() == ["first true", "moved key prior", "first false", "moved key new 2"])
      first.invalidate()
      defaults.removeObserver(moved, forKeyPath: "key")
    }
  }

  @Test("What another thread registers during a prior receives the change")
  func registrationDuringPrior() {
    withSuite { defaults, _ in
      let history = History()
      let observer = HistoryObserver(history, name: "observer ")
      let options: NSKeyValueObservingOptions = [.initial, .prior, .old, .new]
      nonisolated(unsafe) let shared = defaults
      nonisolated(unsafe) var late: NSKeyValueObservation?
      defaults.set(0, forKey: "key")
      let first = defaults.observe("key", options: [.prior]) { _, change in
        history.add("first \(change.isPrior)")
        guard change.isPrior, late == nil else { return }
        let isRegistered = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          late = shared.observe("key", options: options) { _, change in
            history.add(
              "closure \(change.isPrior) \(change.oldValue as Any) \(change.newValue as Any)")
          }
          shared.addObserver(observer, forKeyPath: "key", options: options, context: nil)
          isRegistered.signal()
        }
        #expect(isRegistered.isSignalledInTime())
      }
      defaults.set(1, forKey: "key")
      #expect(
        history.take() == [
          "first true", "closure false nil Optional(Optional(0))", "observer key new 0",
          "first false", "closure true Optional(Optional(0)) nil",
          "closure false Optional(Optional(0)) Optional(Optional(1))", "observer key old 0 new 1",
        ])
      defaults.removeObject(forKey: "key")
      #expect(
        history.take() == [
          "first true", "closure true Optional(Optional(1)) nil", "observer key prior old 1",
          "first false", "closure false Optional(Optional(1)) Optional(nil)",
          "observer key old 1 new <null>",
        ])
      first.invalidate()
      late?.invalidate()
      defaults.removeObserver(observer, forKeyPath: "key")
    }
  }

  @Test("A change right after a closure's initial value was read is announced")
  func changeAfterReading() {
    withSuite { _, suite in
      let defaults = ReadDefaults(suiteName: suite)!
      let history = History()
      defaults.set(0, forKey: "key")
      defaults.reader = { [unowned defaults] stored in
        defaults.reader = nil
        defaults.set(1, forKey: "key")
        return stored
      }
      let token = defaults.observe("key", options: [.initial, .new]) { _, change in
        history.add("\(change.newValue! ?? "nil")")
      }
      // The initial call follows the change that's nested in reading the initial value.
      #expect(history.take() == ["1", "0"])
      token.invalidate()
    }
  }

  @Test("A change made while a closure registers is in its initial value, or is announced")
  func changesDuringRegistration() {
    withSuite { defaults, _ in
      nonisolated(unsafe) let shared = defaults
      for turn in 1...300 {
        let history = History()
        nonisolated(unsafe) var token: NSKeyValueObservation?
        DispatchQueue.concurrentPerform(iterations: 2) { side in
          guard side == 0 else { return shared.set(turn, forKey: "key") }
          token = shared.observe("key", options: [.initial, .new]) { _, change in
            history.add("\(change.newValue! ?? "nil")")
          }
        }
        #expect(history.take().contains("\(turn)"))
        token?.invalidate()
      }
    }
  }

  @Test("Observers receive what a subclass reads, which it does outside of locks")
  func ownReader() {
    withSuite { _, suite in
      let defaults = ReadDefaults(suiteName: suite)!
      let history = History()
      let observer = HistoryObserver(history)
      let options: NSKeyValueObservingOptions = [.prior, .old, .new]
      var isFree = true
      defaults.reader = { stored in
        let isRead = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          _ = UserDefaults.standard.object(forKey: "key")
          isRead.signal()
        }
        if isFree { isFree = isRead.isSignalledInTime() }
        guard let number = stored as? Int else { return nil }
        return -number
      }
      defaults.addObserver(observer, forKeyPath: "key", options: options, context: nil)
      let token = defaults.observe("key", options: [.old, .new]) { _, change in
        history.add("\(change.oldValue! ?? "nil") \(change.newValue! ?? "nil")")
      }
      defaults.set(1, forKey: "key")
      defaults.set(1, forKey: "key")
      defaults.set(2, forKey: "key")
      defaults.removeObject(forKey: "key")
      #expect(
        history.take() == [
          "key prior old <null>", "key old <null> new -1", "nil -1", "key prior old -1",
          "key old -1 new -2", "-1 -2", "key prior old -2", "key old -2 new <null>", "-2 nil",
        ])
      #expect(isFree)
      token.invalidate()
      defaults.removeObserver(observer, forKeyPath: "key")
    }
  }

  @Test("Registrations that have ended don't accumulate for a key that doesn't change")
  func endedRegistrations() {
    withSuite { defaults, _ in
      let key = "ended.\(UUID().uuidString)"
      let living = HistoryObserver()
      defaults.addObserver(living, forKeyPath: key, options: .new, context: nil)
      // The bound leaves room for the living registrations of tests on other threads.
      for _ in 0..<2000 {
        defaults.observe(key) { _, _ in }.invalidate()
        #expect(DefaultsTable.count(of: key) < 500)
      }
      for _ in 0..<2000 {
        defaults.addObserver(HistoryObserver(), forKeyPath: key, context: nil)
        #expect(DefaultsTable.count(of: key) < 500)
      }
      #expect(living.history.take() == [])
      defaults.set(1, forKey: key)
      #expect(living.history.take() == ["\(key) new 1"])
      #expect(DefaultsTable.count(of: key) == 1)
      defaults.removeObserver(living, forKeyPath: key)
      #expect(DefaultsTable.count(of: key) == 0)
    }
  }

  @Test("A deallocated observer doesn't crash, and an observer may remove itself in deinit")
  func deaths() {
    withSuite { defaults, _ in
      let history = History()
      do {
        let observer = HistoryObserver(history)
        defaults.addObserver(observer, forKeyPath: "key", options: .new, context: nil)
        defaults.set(1, forKey: "key")
      }
      do {
        let observer = Leaving(defaults)
        defaults.addObserver(observer, forKeyPath: "key", options: .new, context: nil)
      }
      defaults.set(2, forKey: "key")
      #expect(history.take() == ["key new 1"])
    }
  }

  private final class Leaving: HistoryObserver, @unchecked Sendable {
    let defaults: UserDefaults

    init(_ defaults: UserDefaults) {
      self.defaults = defaults
      super.init()
    }

    deinit { defaults.removeObserver(self, forKeyPath: "key") }
  }

  @Test("A handler may set the key and remove an observer")
  func reentrance() {
    withSuite { defaults, _ in
      let history = History()
      let token = defaults.observe("key", options: [.old, .new]) { defaults, change in
        history.add("\(change.oldValue! ?? "nil") \(change.newValue! ?? "nil")")
        let number = defaults.integer(forKey: "key")
        if number < 3 { defaults.set(number + 1, forKey: "key") }
      }
      let observer = HistoryObserver(history)
      let first = defaults.observe("other") { defaults, _ in
        defaults.removeObserver(observer, forKeyPath: "other")
      }
      defaults.addObserver(observer, forKeyPath: "other", context: nil)
      defaults.set(1, forKey: "key")
      defaults.set(1, forKey: "other")
      #expect(history.take() == ["nil 1", "1 2", "2 3"])
      token.invalidate()
      first.invalidate()
    }
  }

  @Test("Several threads set and observe a key at the same time")
  func threads() {
    withSuite { defaults, _ in
      let history = History()
      nonisolated(unsafe) let shared = defaults
      let token = defaults.observe("key", options: [.old, .new]) { _, change in
        history.add("\(change.oldValue! ?? "nil") \(change.newValue! ?? "nil")")
      }
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        for turn in 0..<25 {
          shared.set(thread * 1000 + turn, forKey: "key")
          let observer = HistoryObserver()
          shared.addObserver(observer, forKeyPath: "key", options: .initial, context: nil)
          if turn.isMultiple(of: 2) { shared.removeObserver(observer, forKeyPath: "key") }
        }
      }
      let pairs = history.take().map { $0.split(separator: " ") }
      #expect(pairs.count == 100)
      // Each value is set once, so it's the new value of one change and the old value of another.
      #expect(Set(pairs.map { $0[1] }).count == 100)
      #expect(Set(pairs.map { $0[0] }).count == 100)
      token.invalidate()
    }
  }

  @Test("Removing an observer that isn't registered raises")
  func raises() async {
    await #expect(processExitsWith: .failure) {
      UserDefaults.standard.removeObserver(NSObject(), forKeyPath: "key")
    }
  }
}
