import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("U. Objects that leave a recorded graph, and that the program puts back")
struct ReturnedObjectTests {
  private let recorder = KeyValueChangeRecorder()

  /// How a change is made.
  fileprivate enum Form: CaseIterable {
    case bare, proxy, group, transaction

    func remove(_ card: ReturnedCard, from pile: CardPile, _ recorder: KeyValueChangeRecorder) {
      guard let index = pile.cards.firstIndex(where: { $0 === card }) else { return }
      switch self {
      case .bare: pile.cards.remove(at: index)
      case .proxy: pile.mutableArrayValue(for: \.cards).remove(at: index)
      case .group: _ = recorder.group { pile.cards.remove(at: index) }
      case .transaction: pile.performChanges { _ = $0.cards.remove(at: index) }
      }
    }

    func append(_ card: ReturnedCard, to pile: CardPile, _ recorder: KeyValueChangeRecorder) {
      switch self {
      case .bare: pile.cards.append(card)
      case .proxy: pile.mutableArrayValue(for: \.cards).append(card)
      case .group: recorder.group { pile.cards.append(card) }
      case .transaction: pile.performChanges { $0.cards.append(card) }
      }
    }
  }

  /// A table, with a card in its left pile, whose graph is recorded.
  private func recordedTable() throws -> (CardTable, ReturnedCard) {
    let (table, card) = (CardTable(), ReturnedCard())
    table.left.cards = [card]
    try recorder.record(graph: table)
    return (table, card)
  }

  @Test(
    "X3 What a `didSet` changes of an object that comes back is undone with its return",
    arguments: Form.allCases, Form.allCases)
  fileprivate func cutAndPasted(_ cut: Form, _ paste: Form) throws {
    let (table, card) = try recordedTable()
    cut.remove(card, from: table.left, recorder)
    paste.append(card, to: table.right, recorder)
    #expect(recorder.description.hasSuffix(" 2 levels to undo, 0 to redo)"))
    for _ in 1...2 {
      #expect(table.places(of: card) == "right, pile: right")
      #expect(try recorder.undo() && table.places(of: card) == ", pile: nil")
      #expect(try recorder.undo() && table.places(of: card) == "left, pile: left")
      #expect(try recorder.redo() && table.places(of: card) == ", pile: nil")
      #expect(try recorder.redo())
    }
  }

  @Test("X3 So are several keys", arguments: Form.allCases, Form.allCases)
  fileprivate func keys(_ cut: Form, _ paste: Form) throws {
    let (table, card) = try recordedTable()
    cut.remove(card, from: table.left, recorder)
    paste.append(card, to: table.hand, recorder)
    #expect(card.holder === table.hand && card.moves == 1)
    #expect(try recorder.undo() && card.holder == nil && card.moves == 0)
    #expect(try recorder.undo() && card.pile === table.left && card.holder == nil)
    for _ in 1...2 { #expect(try recorder.redo()) }
    #expect(table.places(of: card) == "hand, pile: hand")
    #expect(card.holder === table.hand && card.moves == 1)
  }

  @Test("X3 So is what the program changes before it puts the object back")
  func changedBefore() throws {
    let (table, card) = try recordedTable()
    table.left.cards = []
    card.note = "outside"
    card.tags = ["new"]
    KeyValueTransaction.perform {
      card.note = "in the transaction"
      table.right.cards = [card]
      card.note = "back"
    }
    #expect(try recorder.undo() && card.note.isEmpty && card.tags.isEmpty)
    #expect(try recorder.undo() && table.places(of: card) == "left, pile: left")
    for _ in 1...2 { #expect(try recorder.redo()) }
    #expect(card.note == "back" && card.tags == ["new"] && card.pile === table.right)
  }

  @Test("X3 An object that comes for the first time keeps what its `didSet` changed")
  func first() throws {
    let (table, card) = (CardTable(), ReturnedCard())
    try recorder.record(graph: table)
    table.left.cards = [card]
    table.left.cards = []
    table.right.cards = [card]
    #expect(try recorder.undo() && table.places(of: card) == ", pile: nil")
    #expect(try recorder.undo() && table.places(of: card) == "left, pile: left")
    #expect(try recorder.undo() && table.places(of: card) == ", pile: left")
    table.right.cards = [card]
    #expect(try recorder.undo() && table.places(of: card) == ", pile: left")
    #expect(try recorder.redo() && table.places(of: card) == "right, pile: right")
  }

  @Test("X3 It may come back and leave in one transaction")
  func passing() throws {
    let (table, card) = try recordedTable()
    table.left.cards = []
    table.performChanges {
      $0.hand.cards = [card]
      $0.title = "passed"
      $0.hand.cards = []
    }
    #expect(card.pile == nil && card.moves == 1)
    #expect(try recorder.undo() && table.title.isEmpty && card.moves == 0)
    #expect(try recorder.undo() && table.places(of: card) == "left, pile: left")
  }

  @Test("X3 also if nothing else changes it meanwhile")
  func passingUnchanged() throws {
    let (table, card) = (CardTable(), ReturnedCard())
    table.spare = [card]
    try recorder.record(graph: table)
    card.note = "first"
    table.spare = []
    table.performChanges {
      card.note = "passed"
      $0.spare = [card]
      $0.title = "passed"
      $0.spare = []
    }
    #expect(try recorder.undo() && table.title.isEmpty && card.note == "first")
    #expect(try recorder.redo() && card.note == "passed")
    for _ in 1...3 { #expect(try recorder.undo()) }
    #expect(table.spare.first === card && card.note.isEmpty)
  }

  @Test("X3 What it referred to when it left comes back with it, also if nothing else keeps that")
  func references() throws {
    let (table, card) = (CardTable(), ReturnedCard())
    // The level of the departure, which keeps what has left, is forgotten.
    recorder.levelsOfUndo = 1
    weak var first: ReturnedCard?
    table.left.cards = [card]
    do {
      let attached = ReturnedCard()
      attached.note = "first"
      card.attached = attached
      first = attached
    }
    try recorder.record(graph: table)
    table.left.cards = []
    card.attached = ReturnedCard()
    table.right.cards = [card]
    #expect(try recorder.undo() && card.attached === first && first != nil)
    #expect(card.attached?.note == "first" && !recorder.canUndo)
    #expect(try recorder.redo() && card.attached?.note == "" && first != nil)
  }

  @Test("X3 What has died since it left can't come back, and the object keeps the later value")
  func deadReferences() throws {
    let (table, card) = (CardTable(), ReturnedCard())
    table.left.cards = [card]
    card.attached = ReturnedCard()
    try recorder.record(graph: table)
    table.left.cards = []
    recorder.removeAll()
    let later = ReturnedCard()
    card.attached = later
    card.note = "outside"
    table.right.cards = [card]
    #expect(try recorder.undo() && table.right.cards.isEmpty)
    #expect(card.attached === later && card.note.isEmpty)
    #expect(try recorder.redo() && card.note == "outside" && card.attached === later)
  }
}

@KeyValueObservable
private final class CardTable {
  let left = CardPile()
  let right = CardPile()
  let hand = Hand()
  var spare: [ReturnedCard] = []
  var title = ""

  func places(of card: ReturnedCard) -> String {
    func name(_ pile: CardPile?) -> String {
      pile === left ? "left" : pile === right ? "right" : pile === hand ? "hand" : "nil"
    }
    let holders = [left, right, hand].filter { $0.cards.contains { $0 === card } }
    return holders.map(name).joined(separator: " ") + ", pile: " + name(card.pile)
  }
}

@KeyValueObservable
private class CardPile {
  var cards: [ReturnedCard] = [] {
    didSet {
      for card in oldValue where card.pile === self && !cards.contains(where: { $0 === card }) {
        card.pile = nil
        leaves(card)
      }
      for card in cards where card.pile !== self {
        card.pile = self
        enters(card)
      }
    }
  }

  required init() {}

  func enters(_ card: ReturnedCard) {}
  func leaves(_ card: ReturnedCard) {}
}

@KeyValueObservable
private final class Hand: CardPile {
  override func enters(_ card: ReturnedCard) {
    card.holder = self
    card.moves += 1
  }

  override func leaves(_ card: ReturnedCard) { card.holder = nil }
}

@KeyValueObservable
private final class ReturnedCard {
  weak var pile: CardPile?
  weak var holder: Hand?
  var moves = 0
  var note = ""
  var tags: [String] = []
  var attached: ReturnedCard?

  init() {}
}
