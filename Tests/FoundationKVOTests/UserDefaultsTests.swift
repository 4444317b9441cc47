import FoundationKVO
import Testing

@Suite("UserDefaults")
struct UserDefaultsTests {
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
  @Test("Setting nil removes the key, whatever the setter", .timeLimit(.minutes(Patience.minutes)))
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
}
