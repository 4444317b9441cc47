import FoundationKVO
import Testing

@Suite("UserDefaults: suites, domains and notifications")
struct UserDefaultsDomainTests {
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

  @Test(
    "A handler may be the first to read the standard settings",
    .timeLimit(.minutes(Patience.minutes)))
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
        #expect(isRead.isSignalledInTime())
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
}
