import FoundationKVO
import Testing

@KeyValueObservable
private final class Item: NSObject {
  dynamic var name = ""
  dynamic var count = 3
}

@KeyValueObservable
private class Cabinet: NSObject {
  dynamic var drawers = NSMutableDictionary()
  dynamic var labels = NSDictionary()
}

/// An object whose end observes a dictionary.
private final class ObservingAtEnd {
  deinit { observeDictionary(of: nil) }
}

/// Observes dictionaries on two threads; false if that takes too long.
private func observeDyingDictionaries() -> Bool {
  let done = DispatchSemaphore(value: 0)
  for _ in 0..<2 {
    Thread.detachNewThread {
      for _ in 0..<5000 { observeDictionary(of: ObservingAtEnd()) }
      done.signal()
    }
  }
  return (0..<2).allSatisfy { _ in done.isSignalledInTime() }
}

/// Observes a dictionary with a value, both of which then end.
private func observeDictionary(of value: ObservingAtEnd?) {
  let (dictionary, witness) = (NSMutableDictionary(), Witness())
  dictionary["value"] = value
  dictionary.addObserver(witness, forKeyPath: "key", context: nil)
}

@Suite("FoundationKVO: mutable dictionaries")
struct ObservedDictionaryTests {
  private let item = Item()

  @Test("a mutable dictionary is changed in place by key path, an immutable one is replaced")
  func dictionaries() {
    let (cabinet, witness) = (Cabinet(), Witness())
    let paths = ["drawers", "drawers.top", "labels.top", "drawers.item.name"]
    cabinet.watch(paths, witness)
    let before = cabinet.drawers
    cabinet.setValue("socks", forKeyPath: "drawers.top")
    cabinet.setValue("Socks", forKeyPath: "labels.top")
    cabinet.setValue(item, forKeyPath: "drawers.item")
    cabinet.setValue("chair", forKeyPath: "drawers.item.name")
    cabinet.setValue(NSMutableDictionary(), forKeyPath: "drawers.inner")
    cabinet.setValue(7, forKeyPath: "drawers.inner.count")
    cabinet.setValue(nil, forKeyPath: "drawers.top")
    #expect(
      witness.take() == [
        "drawers.top: setting, old <null>, new socks",
        "labels.top: setting, old <null>, new Socks",
        "drawers.item.name: setting, old <null>, new ",
        "drawers.item.name: setting, old , new chair",
        "drawers.top: setting, old socks, new <null>",
      ])
    #expect(item.name == "chair")
    #expect(cabinet.value(forKeyPath: "drawers.inner.count") as? Int == 7)
    #expect(cabinet.drawers.value(forKey: "top") == nil)
    #expect(before === cabinet.drawers)
    cabinet.unwatch(paths, witness)
  }

  @Test("a mutable dictionary that's changed in place notifies the observers of its keys")
  func dictionariesInPlace() {
    let (cabinet, witness, other) = (Cabinet(), Witness(), Witness())
    cabinet.drawers["k"] = 0
    cabinet.watch(["drawers.k", "drawers.item.name"], witness)
    cabinet.watch(["drawers"], other, options: [])
    cabinet.drawers["k"] = 1
    cabinet.drawers.setObject(2, forKey: "k" as NSString)
    cabinet.drawers.setValue(3, forKey: "k")
    cabinet.drawers["other"] = 4
    cabinet.drawers.removeObject(forKey: "k")
    cabinet.drawers.addEntries(from: ["k": 5])
    cabinet.drawers["item"] = item
    item.name = "chair"
    cabinet.drawers.setDictionary(["k": 6])
    item.name = "table"
    cabinet.drawers.removeObjects(forKeys: ["k"])
    #expect(cabinet.drawers as? [String: Int] == [:])
    let old = cabinet.drawers
    cabinet.drawers = NSMutableDictionary(dictionary: ["k": 7])
    old["k"] = 8
    cabinet.drawers.removeAllObjects()
    #expect(
      witness.take() == [
        "drawers.k: setting, old 0, new 1", "drawers.k: setting, old 1, new 2",
        "drawers.k: setting, old 2, new 3", "drawers.k: setting, old 3, new <null>",
        "drawers.k: setting, old <null>, new 5", "drawers.item.name: setting, old <null>, new ",
        "drawers.item.name: setting, old , new chair",
        "drawers.item.name: setting, old chair, new <null>",
        "drawers.k: setting, old 5, new <null>", "drawers.k: setting, old <null>, new 6",
        "drawers.k: setting, old 6, new <null>", "drawers.k: setting, old <null>, new 7",
        "drawers.item.name: setting, old <null>, new <null>",
        "drawers.k: setting, old 7, new <null>",
      ])
    #expect(other.take() == ["drawers: setting"])
    cabinet.unwatch(["drawers.k", "drawers.item.name"], witness)
    cabinet.unwatch(["drawers"], other)
    old["k"] = 9
    cabinet.drawers["k"] = 9
    #expect(witness.take() == [])
  }

  @Test("a mutable dictionary itself is observed, by a path or a context")
  func observedDictionary() {
    let (dictionary, witness) = (NSMutableDictionary(), Witness())
    var context = 0
    dictionary.setValue(item, forKey: "item")
    dictionary.addObserver(witness, forKeyPath: "k", options: [.old, .new], context: nil)
    dictionary.addObserver(witness, forKeyPath: "item.count", options: [.new], context: &context)
    dictionary["k"] = 1
    item.count = 4
    dictionary.removeObserver(witness, forKeyPath: "k")
    dictionary.removeObserver(witness, forKeyPath: "item.count", context: &context)
    dictionary["k"] = 2
    item.count = 5
    #expect(
      witness.take() == ["k: setting, old <null>, new 1", "item.count: setting, new 4"])
  }

  @Test("R5 a mutable dictionary that has died notifies no observer, and its tokens are invalid")
  func deadDictionary() throws {
    let witness = Witness()
    KeyValueTransaction.perform {
      let settings = NSMutableDictionary()
      settings.setValue(item, forKey: "item")
      settings.addObserver(witness, forKeyPath: "theme", options: .new, context: nil)
      settings.addObserver(witness, forKeyPath: "item.count", options: .new, context: nil)
      settings["theme"] = "dark"
      item.count = 6
    }
    #expect(witness.take() == [])
    for keyPath in ["theme", "item.count"] {
      var settings: NSMutableDictionary? = NSMutableDictionary()
      settings?.setValue(item, forKey: "item")
      let token = try #require(try settings?.observe(keyPath) { _, _ in })
      #expect(token.isValid)
      #expect(token.object === settings)
      settings = nil
      #expect(!token.isValid)
      #expect(token.object == nil)
    }
  }

  @Test("among many observed dictionaries, new ones may have the addresses of dead ones")
  func manyDictionaries() {
    let history = History()
    let living = (0..<100).map { _ in NSMutableDictionary() }
    var tokens: [KeyValueObservation] = []
    for dictionary in living {
      tokens.append(try! dictionary.observe("k") { _, _ in history.add("living") })
    }
    for number in 0..<200 {
      let dictionary = NSMutableDictionary()
      tokens.append(try! dictionary.observe("k") { _, _ in history.add("\(number)") })
      dictionary["k"] = number
    }
    #expect(history.take() == (0..<200).map { "\($0)" })
    #expect(tokens.map(\.isValid) == (0..<300).map { $0 < 100 })
    for dictionary in living { dictionary["k"] = 1 }
    #expect(history.take() == Array(repeating: "living", count: 100))
    for token in tokens { token.invalidate() }
  }

  @Test("dictionaries that die on one thread while another's are observed may observe others")
  func dyingDictionaries() async {
    // A deadlock ends with the process.
    await #expect(processExitsWith: .success) { if !observeDyingDictionaries() { exit(1) } }
  }

  @Test("removing an observer that a mutable dictionary doesn't have raises")
  func unobservedDictionary() async {
    await #expect(processExitsWith: .failure) {
      NSMutableDictionary().removeObserver(Witness(), forKeyPath: "k")
    }
  }

  @Test("a mutable dictionary's values set by key, by several keys and by key path notify")
  func dictionariesByKey() {
    let (cabinet, witness) = (Cabinet(), Witness())
    let paths = ["drawers.k", "drawers.inner.count", "drawers.item.name"]
    cabinet.drawers.setValuesForKeys(["k": 1, "item": item, "inner": NSMutableDictionary()])
    cabinet.watch(paths, witness)
    cabinet.drawers.setValuesForKeys(["k": 2, "l": 3])
    cabinet.drawers.setValuesForKeys(["k": NSNull()])
    cabinet.drawers.setValue(4, forKeyPath: "k")
    cabinet.drawers.setValue(5, forKeyPath: "inner.count")
    cabinet.drawers.setValue("chair", forKeyPath: "item.name")
    cabinet.unwatch(paths, witness)
    #expect(
      witness.take() == [
        "drawers.k: setting, old 1, new 2", "drawers.k: setting, old 2, new <null>",
        "drawers.k: setting, old <null>, new 4",
        "drawers.inner.count: setting, old <null>, new 5",
        "drawers.item.name: setting, old , new chair",
      ])
  }
}
