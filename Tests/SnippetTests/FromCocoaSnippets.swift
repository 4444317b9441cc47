import Foundation
import KeyValueObserving
import Testing

/// The blocks that import KeyValueObserving; `FromCocoaPortSnippets` has the others.
@Suite("FromCocoa.md, written anew", .printing)
struct FromCocoaSnippets {
  // snippet FromCocoa 1
  @KeyValueObservable
  final class Download: Operation, @unchecked Sendable {
    @NotifiesManually var received = 0

    func receive(_ count: Int) {
      withChange(of: \.received) { received += count }
    }
  }
  // end

  // snippet FromCocoa 6
  @KeyValueObservable
  final class Memo: Codable {
    var text = "draft"
    var words: Int { text.split(separator: " ").count }
  }
  // end

  @KeyValueObservable
  final class Person {
    var age = 36
  }

  // snippet FromCocoa 10
  @KeyValueObservable
  final class Album {
    @NotifiesManually lazy var cover = "none"

    func replaceCover(_ new: String) {
      withChange(of: \.cover) { cover = new }
    }
  }
  // end

  // snippet FromCocoa 11
  final class Board {
    lazy var observers = KeyValueObserverController(owner: self)
    var lines: [String] = []

    init(_ memo: Memo) {
      observers.observe(memo.kvo.text, options: [.initial, .new]) { board, _, change in
        board.lines.append(change.newValue ?? "")
      }
    }
  }
  // end

  @Test("An operation announces a key of its own")
  func operation() throws {
    // snippet FromCocoa 1
    let download = Download()
    let received = download.kvo.received.observe(options: [.old, .new]) { _, change in
      print(change)
    }
    download.receive(7)  // setting, old: 0, new: 7
    // end
    try expectPrinted("FromCocoa", 1)
    withExtendedLifetime(received) {}
  }

  @Test("Coding, a path's string, and an object that registers in init")
  func codingPathsInit() throws {
    // snippet FromCocoa 6
    let memo = try JSONDecoder().decode(Memo.self, from: Data(#"{"text": "two words"}"#.utf8))
    let words = memo.kvo.words.observe(options: [.old, .new]) { _, change in print(change) }
    memo.text = "three words now"  // setting, old: 2, new: 3
    print(String(decoding: try JSONEncoder().encode(memo), as: UTF8.self))
    // {"text":"three words now"}
    // end
    try expectPrinted("FromCocoa", 6)
    words.invalidate()

    // snippet FromCocoa 7
    let path = KeyValuePath(memo.kvo.text)
    print(String(path))  // text
    // end
    expectThrown {
      // snippet FromCocoa 7
      try memo.setValue("one", forKeyPath: "txet")
      // throws: Memo has no key 'txet'. Did you mean 'text'?
      // end
    }
    try expectPrinted("FromCocoa", 7)

    // snippet FromCocoa 11
    let board = Board(memo)
    memo.text = "two"
    print(board.lines)  // ["three words now", "two"]
    // end
    try expectPrinted("FromCocoa", 11)
  }

  @Test("Numbers convert only exactly")
  func numbers() throws {
    // snippet FromCocoa 8
    let person = Person()  // with a var age = 36
    try person.setValue(37.0, forKey: "age")
    print(try person.value(forKey: "age") as? Double ?? "no Double")  // no Double
    // end
    #expect(person.age == 37)
    expectThrown {
      // snippet FromCocoa 8
      try person.setValue(37.5, forKey: "age")
      // throws: Person.age was given a value of the wrong type: it holds Int, which cannot take 37.5 of type Double exactly.
      // end
    }
    try expectPrinted("FromCocoa", 8, remarks: ["with a var age = 36"])
  }

  @Test("A lazy property that the class announces")
  func lazyProperty() throws {
    // snippet FromCocoa 10
    let album = Album()
    let covers = album.kvo.cover.observe(options: [.old, .new]) { _, change in print(change) }
    album.replaceCover("blue")  // setting, old: "none", new: "blue"
    // end
    try expectPrinted("FromCocoa", 10)
    withExtendedLifetime(covers) {}
  }
}
