import Foundation
import KeyValueObserving
import KeyValueTestSupport
import Testing

@KeyValueObservable
private final class Product {
  var name = ""
  required init() {}
}

@KeyValueObservable
private final class Line {
  let product: Product
  var count: Int
  init(_ product: Product, count: Int) { (self.product, self.count) = (product, count) }
}

@KeyValueObservable
private final class Shop {
  var lines: [Line] = []
  var products: [Product] = []
  required init() {}
}

@KeyValueObservable
private final class Part: Codable {
  let number: Int
  var parts: [Part]
  init(_ number: Int, _ parts: [Part] = []) { (self.number, self.parts) = (number, parts) }
}

@KeyValueObservable
private final class Half {
  let other: Half?
  init(_ other: Half?) { self.other = other }
}

@KeyValueObservable
private final class Pair {
  var halves: [Half] = []
  required init() {}
}

@KeyValueObservable
private final class Stamp {
  let number: Int
  let share: Double
  required init() {
    Stamp.made += 1
    (number, share) = (Stamp.made, 1)
  }
  init(_ number: Int) { (self.number, share) = (number, 1) }
  // Only one test makes stamps.
  nonisolated(unsafe) private static var made = 0
}

@KeyValueObservable
private final class StampBook {
  var stamps: [Stamp] = []
  required init() {}
}

@KeyValueObservable
private final class Memo: Codable {
  let number: Int
  let words: [String]
  var text = ""
  var answers: [Memo] = []
  /// In no record; `init(from:)` finds no value of it.
  @KeyValueIgnored var cache: String? = "made by init()"
  required init() {
    Memo.made += 1
    (number, words) = (Memo.made, [])
  }
  init(_ number: Int, _ words: [String] = []) { (self.number, self.words) = (number, words) }
  // Only one test makes memos by it.
  nonisolated(unsafe) static var made = 0
}

@KeyValueObservable
private final class MemoBook {
  var memos: [Memo] = []
  required init() {}
}

/// Its `init(from:)` takes another name than the key's.
@KeyValueObservable
private final class Tag: Codable {
  let number: Int
  var text = ""
  required init() { number = 1 }
  init(_ number: Int) { self.number = number }
  enum CodingKeys: String, CodingKey {
    case number = "no"
    case text
  }
}

@KeyValueObservable
private final class TagBook {
  var tags: [Tag] = []
  required init() {}
}

@Suite("G. Objects that are made of other objects")
struct LogMakingTests {
  private let line = KeyValueLogClass(Line.self) {
    Line(try $0.value("product"), count: try $0.value("count"))
  }

  private func shop() -> Shop {
    let shop = Shop()
    let products = [Product(), Product()]
    products[0].name = "Pen"
    products[1].name = "Pad"
    shop.lines = [
      Line(products[1], count: 1), Line(products[0], count: 2), Line(products[1], count: 3),
    ]
    shop.products = products
    return shop
  }

  @Test("G3 what a closure takes from the values is made first, once")
  func closures() throws {
    let shop = shop()
    let log = try KeyValueChangeLog(of: shop, classes: [line])
    let snapshot = try KeyValueSnapshot(json: log.snapshot().json())
    let copy = try KeyValueChangeLog(restoring: snapshot, as: Shop.self, classes: [line])
    #expect(try copy.snapshot() == log.snapshot())
    #expect(copy.root.lines.map(\.product.name) == ["Pad", "Pen", "Pad"])
    #expect(copy.root.lines[0].product === copy.root.products[1])
    #expect(copy.root.lines[2].product === copy.root.products[1])
    // A record may have both, too.
    let link = log.observe { record in #expect(throws: Never.self) { try copy.apply(record) } }
    shop.performChanges { shop in
      let product = Product()
      product.name = "Ink"
      shop.lines.append(Line(product, count: 4))
      shop.products.append(product)
    }
    #expect(try copy.snapshot() == log.snapshot())
    #expect(copy.root.lines[3].product === copy.root.products[2])
    withExtendedLifetime(link) {}
  }

  @Test("G3 init(from:) may decode objects that don't exist yet") func decodable() throws {
    let root = Part(1, [Part(2, [Part(3)]), Part(4)])
    let log = try KeyValueChangeLog(of: root)
    let copy = try KeyValueChangeLog(restoring: log.snapshot(), as: Part.self)
    #expect(try copy.snapshot() == log.snapshot())
    #expect(copy.root.parts.map(\.number) == [2, 4])
    #expect(copy.root.parts[0].parts.map(\.number) == [3])
  }

  @Test("G3 a closure may take an object that is nil") func optionalObject() throws {
    let pair = Pair()
    let first = Half(nil)
    pair.halves = [Half(first), first]
    let classes = [KeyValueLogClass(Half.self) { Half(try $0.value("other")) }]
    let log = try KeyValueChangeLog(of: pair, classes: classes)
    let copy = try KeyValueChangeLog(restoring: log.snapshot(), as: Pair.self, classes: classes)
    #expect(try copy.snapshot() == log.snapshot())
    #expect(copy.root.halves[0].other === copy.root.halves[1] && copy.root.halves[1].other == nil)
    let link = log.observe { record in #expect(throws: Never.self) { try copy.apply(record) } }
    pair.halves.append(Half(nil))
    #expect(try copy.snapshot() == log.snapshot())
    let error = #expect(throws: KeyValueLogError.self) {
      try KeyValueChangeLog(
        restoring: log.snapshot(), as: Pair.self,
        classes: [KeyValueLogClass(Half.self) { Half(try $0.value("other", as: Half.self)) }])
    }
    #expect(error.map { "\($0)" }?.contains("it takes Half, not nil") == true)
    withExtendedLifetime(link) {}
  }

  @Test("G4 objects that are made of each other are an error that says what to do")
  func cycle() throws {
    let ids = (KeyValueObjectID(), KeyValueObjectID(), KeyValueObjectID())
    let name = "ConformanceTests.Half"
    let snapshot = KeyValueSnapshot(
      root: ids.0,
      objects: [
        ids.0: .init(
          class: "ConformanceTests.Pair",
          values: ["halves": .array([.reference(ids.1), .reference(ids.2)])]),
        ids.1: .init(class: name, values: ["other": .reference(ids.2)]),
        ids.2: .init(class: name, values: ["other": .reference(ids.1)]),
      ])
    let error = #expect(throws: KeyValueLogError.self) {
      try KeyValueChangeLog(
        restoring: snapshot, as: Pair.self,
        classes: [KeyValueLogClass(Half.self) { Half(try $0.value("other") as Half) }])
    }
    #expect(
      error.map { "\($0)" }?.hasSuffix(
        "it's being made, and what it's made of refers to it. Leave one of the two references to a "
          + "variable, which is set afterwards.") == true)
  }

  @Test("G4 a long chain of objects that are made of each other is an error, not an overflow")
  func chain() throws {
    let pair = Pair()
    let ids = (0..<2_000).map { _ in KeyValueObjectID() }
    let name = "ConformanceTests.Half"
    func restored(_ count: Int) throws -> Int {
      var snapshot = try KeyValueChangeLog(of: pair).snapshot()
      let halves = ids[..<count].map { KeyValueLogValue.reference($0) }
      snapshot.objects[snapshot.root]?.values["halves"] = .array(halves)
      for (index, id) in ids[..<count].enumerated() {
        let other = index + 1 < count ? KeyValueLogValue.reference(ids[index + 1]) : .null
        snapshot.objects[id] = .init(class: name, values: ["other": other])
      }
      let classes = [KeyValueLogClass(Half.self) { Half(try $0.value("other")) }]
      let log = try KeyValueChangeLog(restoring: snapshot, as: Pair.self, classes: classes)
      return log.root.halves.count
    }
    #expect(try restored(500) == 500)
    let error = #expect(throws: KeyValueLogError.self) { try restored(2_000) }
    #expect(
      error.map { "\($0)" }?.hasSuffix(
        "more than 500 objects are made of each other. Leave some of the references to variables, which are "
          + "set afterwards.") == true)
  }

  @Test("G4 a constant that is made with another object than it refers to is an error")
  func placeholders() throws {
    let log = try KeyValueChangeLog(of: shop(), classes: [line])
    let error = #expect(throws: KeyValueLogError.self) {
      try KeyValueChangeLog(
        restoring: log.snapshot(), as: Shop.self,
        classes: [KeyValueLogClass(Line.self) { Line(Product(), count: try $0.value("count")) }])
    }
    #expect(
      error.map { "\($0)" }?.hasSuffix(
        "the constant was made with another object than the one it refers to. Take that one from the "
          + "values, as in $0.value(\"product\").") == true)
  }

  @Test("G4 a constant that is made with another value than the recorded one is an error")
  func constants() throws {
    let book = StampBook()
    let log = try KeyValueChangeLog(of: book)
    let replica = try KeyValueChangeLog(restoring: log.snapshot(), as: StampBook.self)
    var records: [KeyValueTransactionRecord] = []
    let token = log.observe { records.append($0) }
    book.stamps = [Stamp()]
    let snapshot = try KeyValueSnapshot(json: log.snapshot().json())
    let id = try #require(snapshot.objects.keys.first { $0 != snapshot.root })
    func text(_ number: Int) -> String {
      "Stamp.number can't be edited so (object \(id)): the constant was made with \(number), not 1. Name the "
        + "class in `classes`, with a closure that takes it from the values, as in $0.value(\"number\")."
    }
    let restoring = #expect(throws: KeyValueLogError.self) {
      try KeyValueChangeLog(restoring: snapshot, as: StampBook.self)
    }
    #expect(restoring.map { "\($0)" } == text(2))
    let applying = #expect(throws: KeyValueLogError.self) { try replica.apply(records[0]) }
    #expect(applying.map { "\($0)" } == text(3))
    #expect(replica.root.stamps.isEmpty)
    let copy = try KeyValueChangeLog(
      restoring: snapshot, as: StampBook.self,
      classes: [KeyValueLogClass(Stamp.self) { Stamp(try $0.value("number")) }])
    #expect(try copy.snapshot() == snapshot)
    let misspelt = #expect(throws: KeyValueLogError.self) {
      try KeyValueChangeLog(
        restoring: snapshot, as: StampBook.self,
        classes: [KeyValueLogClass(Stamp.self) { Stamp(try $0.value("nmuber")) }])
    }
    #expect(
      misspelt.map { "\($0)" }
        == "Stamp has no stored key 'nmuber' (object \(id)): it isn't among the recorded values. Did you "
        + "mean 'number'?")
    token.invalidate()
  }

  @Test("G3 an object whose init() makes other constants is made by init(from:), if there is one")
  func decodedConstants() throws {
    let book = MemoBook()
    let log = try KeyValueChangeLog(of: book)
    let replica = try KeyValueChangeLog(restoring: log.snapshot(), as: MemoBook.self)
    var histories: [[String]] = [[], []]
    func follow(_ book: MemoBook, _ index: Int) -> KeyValueObservation {
      book.kvo.memos[each: \.text].observe(options: [.old, .new]) { _, change in
        histories[index].append("\(change.kind) \(change.oldValue ?? []) \(change.newValue ?? [])")
      }
    }
    var records: [KeyValueTransactionRecord] = []
    let tokens = [
      follow(book, 0), follow(replica.root, 1), log.observe { records.append($0) },
    ]
    book.performChanges { book in
      let memo = Memo(7, ["a", "b"])
      memo.text = "seven"
      memo.answers = [Memo(8)]
      book.memos = [Memo(6), memo]
    }
    book.memos[1].text = "7"
    Memo.made = 100
    for record in records {
      try replica.apply(KeyValueTransactionRecord(json: record.json()))
    }
    #expect(try replica.snapshot() == log.snapshot())
    // init() is tried first; what it makes is released.
    #expect(Memo.made == 103)
    #expect(
      replica.root.memos.map(\.number) == [6, 7] && replica.root.memos[1].words == ["a", "b"])
    #expect(replica.root.memos[1].answers.map(\.number) == [8])
    #expect(histories[0] == histories[1])
    #expect(
      histories[0] == [
        #"setting [] ["", "seven"]"#, #"setting ["", "seven"] ["", "7"]"#,
      ])
    let copy = try KeyValueChangeLog(
      restoring: KeyValueSnapshot(json: log.snapshot().json()), as: MemoBook.self)
    #expect(try copy.snapshot() == log.snapshot())
    #expect(copy.root.memos.map(\.cache) == [nil, nil])
    // What init() makes with the recorded constants is kept, and needs no value for each key.
    book.memos = [Memo(8)]
    var snapshot = try log.snapshot()
    Memo.made = 7
    let same = try KeyValueChangeLog(restoring: snapshot, as: MemoBook.self)
    #expect(same.root.memos.map(\.cache) == ["made by init()"])
    let id = try #require(log.id(of: book.memos[0]))
    snapshot.objects[id]?.values["text"] = nil
    Memo.made = 7
    let older = try KeyValueChangeLog(restoring: snapshot, as: MemoBook.self)
    #expect(older.root.memos.map(\.number) == [8])
    #expect(Memo.made == 8)
    let error = #expect(throws: KeyValueLogError.self) {
      try KeyValueChangeLog(restoring: snapshot, as: MemoBook.self)
    }
    #expect(error.map { "\($0)" }?.contains("the constant was made with 9, not 8") == true)
    withExtendedLifetime(tokens) {}
  }

  @Test("G4 a constant that neither init() nor init(from:) makes as recorded is an error")
  func undecodedConstants() throws {
    let book = TagBook()
    book.tags = [Tag(1), Tag(2)]
    let log = try KeyValueChangeLog(of: book)
    let id = try #require(log.id(of: book.tags[1]))
    let error = #expect(throws: KeyValueLogError.self) {
      try KeyValueChangeLog(restoring: log.snapshot(), as: TagBook.self)
    }
    #expect(
      error.map { "\($0)" }
        == "Tag.number can't be edited so (object \(id)): the constant was made with 1, not 2. Name the class in "
        + "`classes`, with a closure that takes it from the values, as in $0.value(\"number\").")
    book.tags.removeLast()
    let copy = try KeyValueChangeLog(restoring: log.snapshot(), as: TagBook.self)
    #expect(copy.root.tags.map(\.number) == [1])
  }

  @Test("G4 a snapshot without an object that can't be made again is an error")
  func refused() throws {
    let shop = Shop()
    let log = try KeyValueChangeLog(of: shop)
    ViolationLog.record { violations in
      shop.lines.append(Line(Product(), count: 1))
      #expect(violations.take().count == 1)
    }
    let error = #expect(throws: KeyValueLogError.self) { try log.snapshot() }
    #expect(error.map { "\($0)" }?.contains("its objects can't be made") == true)
    shop.lines = []
    #expect(try log.snapshot().objects.count == 1)
  }

  @Test("X3 a group whose changes create objects that lead to each other is undone as one")
  func groups() throws {
    for isTransaction in [false, true] {
      let shop = Shop()
      let recorder = KeyValueChangeRecorder()
      try recorder.record(graph: shop)
      let product = Product()
      recorder.group {
        func change() {
          shop.products.append(product)
          shop.lines.append(Line(product, count: 1))
          product.name = "Pen"
          shop.lines.append(Line(product, count: 2))
        }
        if isTransaction { shop.performChanges { _ in change() } } else { change() }
      }
      for _ in 1...2 {
        #expect(try recorder.undo())
        #expect(shop.products.isEmpty && shop.lines.isEmpty)
        #expect(try recorder.redo())
        #expect(shop.products.count == 1 && shop.lines.map(\.count) == [1, 2])
        #expect(shop.lines.allSatisfy { $0.product === product } && product.name == "Pen")
      }
    }
  }

  @Test("X3 a group that takes an object out and puts it back is undone")
  func moved() throws {
    let shop = shop()
    let recorder = KeyValueChangeRecorder()
    try recorder.record(graph: shop)
    let line = shop.lines[0]
    recorder.group {
      shop.lines.removeFirst()
      shop.lines.append(line)
    }
    #expect(shop.lines.map(\.count) == [2, 3, 1])
    for _ in 1...2 {
      #expect(try recorder.undo())
      #expect(shop.lines.map(\.count) == [1, 2, 3] && shop.lines[0] === line)
      #expect(try recorder.redo())
      #expect(shop.lines.map(\.count) == [2, 3, 1] && shop.lines[2] === line)
    }
  }
}
