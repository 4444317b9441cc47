import FoundationKVO
import Testing

/// Runs a closure with the defaults of a new suite, and removes its values afterwards.
private func withSuite(
  _ name: String = #function, _ body: (UserDefaults, String) throws -> Void
) rethrows {
  let suite = "swift-kvo-tests.\(ProcessInfo.processInfo.processIdentifier).\(name)"
  let defaults = UserDefaults(suiteName: suite)!
  defer { defaults.removePersistentDomain(forName: suite) }
  try body(defaults, suite)
}

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

@Suite("UserDefaults")
struct UserDefaultsTests {
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

  @Test("Every setter notifies with Cocoa's values, except for an equal value")
  func setters() {
    withSuite { defaults, _ in
      let observer = HistoryObserver()
      defaults.addObserver(observer, forKeyPath: "key", options: [.old, .new], context: nil)
      defaults.set(1, forKey: "key")
      defaults.set(1, forKey: "key")
      defaults.set(true, forKey: "key")
      defaults.set(2.5, forKey: "key")
      defaults.set(Float(0.5), forKey: "key")
      defaults.set(false, forKey: "key")
      defaults.set("text", forKey: "key")
      defaults.set(URL(fileURLWithPath: "/tmp/file"), forKey: "key")
      defaults.set(["a", "b"], forKey: "key")
      defaults.set(["a", "b"], forKey: "key")
      defaults.set(["x": 1], forKey: "key")
      defaults.set(Data([1]), forKey: "key")
      defaults.setValue(7, forKey: "key")
      defaults.setValue(nil, forKey: "key")
      defaults.removeObject(forKey: "key")
      #expect(
        observer.history.take() == [
          "key old <null> new 1", "key old 1 new 2.5", "key old 2.5 new 0.5", "key old 0.5 new 0",
          "key old 0 new text", "key old text new /tmp/file",
          "key old /tmp/file new ( a, b )", "key old ( a, b ) new { x = 1; }",
          "key old { x = 1; } new 1 bytes", "key old 1 bytes new 7", "key old 7 new <null>",
        ])
      defaults.removeObserver(observer, forKeyPath: "key")
      defaults.set(8, forKey: "key")
      #expect(observer.history.take() == [])
    }
  }

  @Test("Strings that are equal only in Swift are different values, also in collections")
  func formsOfStrings() {
    withSuite { defaults, _ in
      func sizes(_ value: Any?) -> String {
        switch value {
        case let text as String: "\(text.utf8.count)"
        case let array as [Any]: "[\(array.map { sizes($0) }.joined(separator: ", "))]"
        case let dictionary as [String: Any]:
          dictionary.map { "{\(sizes($0.key)): \(sizes($0.value))}" }.joined()
        default: "nil"
        }
      }
      let history = History()
      let token = defaults.observe("key", options: [.prior, .old, .new]) { _, change in
        if change.isPrior { return history.add("prior") }
        history.add("\(sizes(change.oldValue!)) \(sizes(change.newValue!))")
      }
      let center = NotificationCenter.default.addObserver(
        forName: UserDefaults.didChangeNotification, object: defaults, queue: nil
      ) { _ in
        history.add("posted")
      }
      let (short, long) = ("\u{E9}", "e\u{301}")
      let values: [Any] = [
        short, long, long, [short], [long], [short: "a"], [long: "a"], ["a": long], ["a": short],
      ]
      for value in values { defaults.set(value, forKey: "key") }
      #expect(
        history.take() == [
          "prior", "nil 2", "posted", "prior", "2 3", "posted", "prior", "3 [2]", "posted",
          "prior", "[2] [3]", "posted", "prior", "[3] {2: 1}", "posted",
          "prior", "{2: 1} {3: 1}", "posted", "prior", "{3: 1} {1: 3}", "posted",
          "prior", "{1: 3} {1: 2}", "posted",
        ])
      #expect(sizes(defaults.object(forKey: "key")) == "{1: 2}")
      token.invalidate()
      NotificationCenter.default.removeObserver(center)
    }
  }

  // Foundation's setter of an optional URL never returns for nil.
  @Test("Setting nil removes the key, whatever the setter", .timeLimit(.minutes(1)))
  func settingNil() {
    withSuite { defaults, _ in
      let observer = HistoryObserver()
      defaults.set(1, forKey: "key")
      defaults.addObserver(observer, forKeyPath: "key", options: [.old, .new], context: nil)
      defaults.set(nil, forKey: "key")
      defaults.set(2, forKey: "key")
      defaults.set(nil as Any?, forKey: "key")
      defaults.set(nil as URL?, forKey: "key")
      defaults.removeObserver(observer, forKeyPath: "key")
      #expect(
        observer.history.take() == [
          "key old 1 new <null>", "key old <null> new 2", "key old 2 new <null>",
        ])
      #expect(defaults.object(forKey: "key") == nil)
    }
  }

  @Test("A file's URL can be read back, and notifies")
  func settingURL() {
    withSuite { defaults, _ in
      let observer = HistoryObserver()
      defaults.addObserver(observer, forKeyPath: "key", options: [.old, .new], context: nil)
      defaults.set(URL(fileURLWithPath: "/a/b"), forKey: "key")
      #expect(defaults.url(forKey: "key")?.path == "/a/b")
      defaults.removeObserver(observer, forKeyPath: "key")
      #expect(observer.history.take() == ["key old <null> new /a/b"])
    }
  }

  @Test("A URL that isn't a file's is archived, and notifies only if it differs")
  func settingRemoteURL() {
    withSuite { defaults, _ in
      let history = History()
      func text(_ value: Any?) -> String {
        guard let data = value as? Data else { return "\(value ?? "nil")" }
        let url = try? NSKeyedUnarchiver.unarchivedObject(ofClass: NSURL.self, from: data)
        return url?.absoluteString ?? "unreadable"
      }
      let token = defaults.observe("key", options: [.old, .new]) { _, change in
        history.add(text(change.oldValue!) + " " + text(change.newValue!))
      }
      let page = URL(string: "https://example.com/a?b=1")!
      let part = URL(string: "c?d#e", relativeTo: page)!
      // Two archives of a URL may have their keys in different orders.
      for _ in 0..<10 { defaults.set(page, forKey: "key") }
      #expect(defaults.url(forKey: "key") == page)
      #expect(defaults.object(forKey: "key") is Data)
      for _ in 0..<10 { defaults.set(part as Any, forKey: "key") }
      #expect(defaults.url(forKey: "key")?.absoluteString == "https://example.com/c?d#e")
      defaults.setValue(page as NSURL, forKey: "key")
      #expect(defaults.url(forKey: "key") == page)
      defaults.set(Data([1]), forKey: "key")
      #expect(defaults.url(forKey: "key") == nil)
      defaults.set(page, forKey: "key")
      defaults.set(URL(fileURLWithPath: "/a/b"), forKey: "key")
      #expect(defaults.url(forKey: "key")?.path == "/a/b")
      defaults.set(page, forKey: "key")
      defaults.set(nil as URL?, forKey: "key")
      #expect(defaults.url(forKey: "key") == nil)
      #expect(
        history.take() == [
          "nil https://example.com/a?b=1", "https://example.com/a?b=1 https://example.com/c?d#e",
          "https://example.com/c?d#e https://example.com/a?b=1",
          "https://example.com/a?b=1 unreadable", "unreadable https://example.com/a?b=1",
          "https://example.com/a?b=1 /a/b", "/a/b https://example.com/a?b=1",
          "https://example.com/a?b=1 nil",
        ])
      token.invalidate()
    }
  }

  @Test("Reading returns the values that Cocoa returns")
  func reading() {
    withSuite { defaults, _ in
      defaults.set(3, forKey: "number")
      defaults.set([1, 2], forKey: "list")
      defaults.setValue(true, forKey: "flag")
      #expect(defaults.value(forKey: "number") is NSNumber)
      #expect(defaults.value(forKey: "number") as? Double == 3)
      #expect(defaults.integer(forKey: "number") == 3 && defaults.bool(forKey: "flag"))
      #expect(defaults.array(forKey: "list") as? [Int] == [1, 2])
      #expect("\(defaults.object(forKey: "list")!)" == "[1, 2]")
      #expect(defaults.value(forKey: "none") == nil)
      #expect(defaults.dictionaryRepresentation()["number"] as? Int == 3)
    }
  }

  @Test("A path of one key sets that key, also where the object is only known to be Foundation's")
  func settingPaths() {
    withSuite { defaults, _ in
      let observer = HistoryObserver()
      defaults.addObserver(observer, forKeyPath: "theme", options: .new, context: nil)
      defaults.setValue("dark", forKeyPath: "theme")
      let object = defaults as Foundation.NSObject
      object.setValue("light", forKey: "theme")
      #expect(object.value(forKey: "theme") as? String == "light")
      object.setValue("blue", forKeyPath: "theme")
      #expect(object.value(forKeyPath: "theme.length") as? Int == 4)
      object.setValue(nil, forKeyPath: "theme")
      // As in Cocoa, a path through nil sets nothing.
      defaults.setValue(1, forKeyPath: "colours.blue")
      #expect(defaults.object(forKey: "colours") == nil)
      defaults.removeObserver(observer, forKeyPath: "theme")
      #expect(
        observer.history.take() == [
          "theme new dark", "theme new light", "theme new blue", "theme new <null>",
        ])
    }
  }

  @Test("A key that contains dots is one key")
  func dots() {
    withSuite { defaults, _ in
      let history = History()
      let observer = HistoryObserver(history)
      defaults.addObserver(observer, forKeyPath: "editor.font.size", options: .new, context: nil)
      defaults.set(12, forKey: "editor.font.size")
      defaults.set(["font": 1], forKey: "editor")
      let token = defaults.observe("editor.font.size", options: [.old, .new]) { _, change in
        history.add("\(change.oldValue! ?? "nil") \(change.newValue! ?? "nil")")
      }
      defaults.set(13, forKey: "editor.font.size")
      defaults.removeObserver(observer, forKeyPath: "editor.font.size", context: nil)
      defaults.removeObject(forKey: "editor.font.size")
      token.invalidate()
      defaults.set(1, forKey: "editor.font.size")
      #expect(
        history.take() == [
          "editor.font.size new 12", "editor.font.size new 13", "12 13", "13 nil",
        ])
    }
  }

  @Test("It's one key, too, where the object is only known to be Foundation's")
  func dotsOfAnObject() {
    withSuite { defaults, _ in
      let observer = HistoryObserver()
      defaults.addObserver(observer, forKeyPath: "editor.font.size", options: .new, context: nil)
      let object = defaults as Foundation.NSObject
      object.setValue(12, forKey: "editor.font.size")
      #expect(object.value(forKey: "editor.font.size") as? Int == 12)
      #expect(object.value(forKeyPath: "editor.font.size") == nil)
      defaults.removeObserver(observer, forKeyPath: "editor.font.size")
      #expect(observer.history.take() == ["editor.font.size new 12"])
    }
  }

  @Test("An equal value that's given as an object of Foundation's isn't announced before or after")
  func equalObjects() {
    withSuite { defaults, _ in
      let observer = HistoryObserver()
      let date = Date(timeIntervalSinceReferenceDate: 5)
      defaults.set("dark", forKey: "theme")
      defaults.set(date, forKey: "day")
      defaults.set(["a", date] as [Any], forKey: "list")
      let keys = ["theme", "day", "list"]
      for key in keys {
        defaults.addObserver(
          observer, forKeyPath: key, options: [.prior, .old, .new], context: nil)
      }
      defaults.set("dark" as NSString, forKey: "theme")
      defaults.set(date as NSDate, forKey: "day")
      defaults.set(["a" as NSString, date as NSDate] as [Any], forKey: "list")
      #expect(observer.history.take() == [])
      defaults.set("light" as NSString, forKey: "theme")
      #expect(
        observer.history.take() == ["theme prior old dark", "theme old dark new light"])
      for key in keys { defaults.removeObserver(observer, forKeyPath: key) }
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

  @Test("Registering a default notifies no observer, and later changes start from its value")
  func registered() {
    withSuite { defaults, _ in
      let key = "registered.\(UUID().uuidString)"
      let observer = HistoryObserver()
      defaults.addObserver(observer, forKeyPath: key, options: [.old, .new, .prior], context: nil)
      defaults.register(defaults: [key: "first"])
      defaults.set("mine", forKey: key)
      defaults.register(defaults: [key: "second"])
      defaults.removeObject(forKey: key)
      defaults.set("second", forKey: key)
      defaults.removeObject(forKey: key)
      #expect(
        observer.history.take().map { $0.replacingOccurrences(of: key, with: "key") } == [
          "key prior old first", "key old first new mine", "key prior old mine",
          "key old mine new second",
        ])
      defaults.removeObserver(observer, forKeyPath: key)
    }
  }

  @Test("A change notifies the observers of every object with the same suite")
  func suites() {
    withSuite { defaults, suite in
      let other = UserDefaults(suiteName: suite)!
      let history = History()
      let (observer, unrelated) = (HistoryObserver(history), HistoryObserver(history))
      other.addObserver(observer, forKeyPath: "key", options: .new, context: nil)
      UserDefaults.standard.addObserver(
        unrelated, forKeyPath: "key", options: [.new, .prior], context: nil)
      defaults.set(1, forKey: "key")
      other.setPersistentDomain(["key": 2], forName: suite)
      #expect(history.take() == ["key new 1", "key new 2"])
      other.removeObserver(observer, forKeyPath: "key")
      UserDefaults.standard.removeObserver(unrelated, forKeyPath: "key")
      #expect(UserDefaults.standard === UserDefaults.standard)
    }
  }

  @Test("Changes of the standard defaults notify observers and post a notification")
  func standard() {
    let key = "swift-kvo-tests.\(UUID().uuidString)"
    let defaults = UserDefaults.standard
    let (history, observer) = (History(), HistoryObserver())
    let center = NotificationCenter.default.addObserver(
      forName: UserDefaults.didChangeNotification, object: defaults, queue: nil
    ) { _ in history.add("changed") }
    defaults.addObserver(observer, forKeyPath: key, options: .new, context: nil)
    defaults.set(1, forKey: key)
    defaults.set(1, forKey: key)
    defaults.removeObject(forKey: key)
    #expect(observer.history.take() == ["\(key) new 1", "\(key) new <null>"])
    #expect(history.take() == ["changed", "changed"])
    NotificationCenter.default.removeObserver(center)
    defaults.removeObserver(observer, forKeyPath: key)
  }

  @Test("Making settings posts no notification, also while one is being handled")
  func making() {
    withSuite { defaults, suite in
      let history = History()
      // Other tests post on other threads.
      let thread = ObjectIdentifier(Thread.current)
      let center = NotificationCenter.default.addObserver(
        forName: UserDefaults.didChangeNotification, object: nil, queue: nil
      ) { _ in
        guard ObjectIdentifier(Thread.current) == thread else { return }
        history.add("changed")
        history.add("\(UserDefaults(suiteName: suite)!.integer(forKey: "key"))")
      }
      _ = UserDefaults(suiteName: suite)
      _ = UserDefaults()
      #expect(history.take() == [])
      defaults.set(1, forKey: "key")
      #expect(history.take() == ["changed", "1"])
      defaults.setVolatileDomain(["key": 2], forName: UserDefaults.argumentDomain)
      defaults.removeVolatileDomain(forName: UserDefaults.argumentDomain)
      #expect(history.take() == ["changed", "1", "changed", "1"])
      NotificationCenter.default.removeObserver(center)
    }
  }

  @Test("A handler may be the first to read the standard settings", .timeLimit(.minutes(1)))
  func standardInHandler() async {
    await #expect(processExitsWith: .success) {
      let history = History()
      let center = NotificationCenter.default.addObserver(
        forName: UserDefaults.didChangeNotification, object: nil, queue: nil
      ) { _ in
        _ = UserDefaults.standard
        history.add("changed")
      }
      let defaults = UserDefaults(suiteName: "swift-kvo-tests.handler")!
      #expect(history.take() == [])
      defaults.setVolatileDomain(["key": 1], forName: "domain")
      #expect(history.take() == ["changed"])
      NotificationCenter.default.removeObserver(center)
    }
  }

  @Test("A change of a domain posts one notification, when other threads can read")
  func domains() {
    withSuite { defaults, suite in
      let history = History()
      nonisolated(unsafe) let shared = defaults
      let center = NotificationCenter.default.addObserver(
        forName: UserDefaults.didChangeNotification, object: defaults, queue: nil
      ) { _ in
        let isRead = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          history.add("posted \(shared.integer(forKey: "key")) \(shared.integer(forKey: "other"))")
          isRead.signal()
        }
        #expect(isRead.wait(timeout: .now() + 10) == .success)
      }
      let observer = HistoryObserver(history)
      defaults.addObserver(observer, forKeyPath: "key", options: [.old, .new], context: nil)
      defaults.setPersistentDomain(["key": 1, "other": 2], forName: suite)
      #expect(history.take() == ["key old <null> new 1", "posted 1 2"])
      #expect(defaults.persistentDomain(forName: suite)?.keys.sorted() == ["key", "other"])
      defaults.setPersistentDomain(["key": 3], forName: suite)
      #expect(history.take() == ["key old 1 new 3", "posted 3 0"])
      defaults.removePersistentDomain(forName: suite)
      #expect(history.take() == ["key old 3 new <null>", "posted 0 0"])
      defaults.removeObserver(observer, forKeyPath: "key")
      NotificationCenter.default.removeObserver(center)
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
        #expect(isRegistered.wait(timeout: .now() + 10) == .success)
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
        if isFree { isFree = isRead.wait(timeout: .now() + 10) == .success }
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

  @Test("A change that an argument of the program hides isn't announced, before or after")
  func hiddenByArgument() {
    withSuite { defaults, suite in
      let other = UserDefaults(suiteName: suite)!
      let history = History()
      let (observer, seeing) = (
        HistoryObserver(history, name: "hidden "), HistoryObserver(history, name: "seen ")
      )
      defaults.setVolatileDomain(["theme": "dark"], forName: UserDefaults.argumentDomain)
      for (settings, observer) in [(defaults, observer), (other, seeing)] {
        settings.addObserver(
          observer, forKeyPath: "theme", options: [.prior, .old, .new], context: nil)
      }
      defaults.set("light", forKey: "theme")
      #expect(defaults.string(forKey: "theme") == "dark")
      defaults.removeObject(forKey: "theme")
      #expect(
        history.take() == [
          "seen theme prior old <null>", "seen theme old <null> new light",
          "seen theme prior old light", "seen theme old light new <null>",
        ])
      defaults.removeObserver(observer, forKeyPath: "theme")
      other.removeObserver(seeing, forKeyPath: "theme")
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
