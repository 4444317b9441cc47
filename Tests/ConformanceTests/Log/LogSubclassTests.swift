import KeyValueObserving
import KeyValueTestSupport
import Testing

@KeyValueObservable
private class Card {
  var contact: Worker?

  required init() {}
}

/// Shows another contact than it stores, while it's hidden.
@KeyValueObservable
private final class HiddenCard: Card {
  var isHidden = true

  override var contact: Worker? {
    get { isHidden ? Worker("unnamed") : super.contact }
    set { super.contact = newValue }
  }
}

/// The same with an override that isn't a key.
@KeyValueObservable
private final class IgnoringCard: Card {
  @KeyValueIgnored var isHidden = true

  @KeyValueIgnored override var contact: Worker? {
    get { isHidden ? Worker("unnamed") : super.contact }
    set { super.contact = newValue }
  }
}

@KeyValueObservable
private class Sash {
  var width = 0 { didSet { trace.append("width: \(width)") } }
  @KeyValueIgnored var trace: [String] = []

  required init() {}
}

@KeyValueObservable
private class SideSash: Sash {
  var depth = 0 { didSet { trace.append("depth: \(depth)") } }
}

/// A subclass without the macro.
private final class PlainSidePane: SideSash {}

@Suite("G. Subclasses in a log")
struct LogSubclassTests {
  @Test("G2 X2 The graph is what stored relationships reach, whatever an override's getter returns")
  func hiddenRelation() throws {
    let (card, ada, grace) = (HiddenCard(), Worker("Ada"), Worker("Grace"))
    card.contact = ada
    let log = try KeyValueChangeLog(of: card)
    let copy = try KeyValueChangeLog(restoring: log.snapshot(), as: HiddenCard.self)
    let recorder = KeyValueChangeRecorder()
    try recorder.record(graph: card)
    let link = log.observe { record in
      do { try copy.apply(record) } catch { Issue.record(error) }
    }
    card.contact = grace
    card.isHidden = false
    #expect(copy.root.contact?.name == "Grace" && log.id(of: ada) == nil)
    #expect(try recorder.undo() && card.isHidden)
    #expect(try recorder.undo() && !recorder.canUndo)
    card.isHidden = false
    #expect(card.contact === ada && copy.root.contact?.name == "Ada")
    #expect(try copy.snapshot() == log.snapshot())
    withExtendedLifetime(link) {}
  }

  @Test("G2 An ignored override's getter hides nothing from a log")
  func ignoredOverride() throws {
    let (card, ada, grace) = (IgnoringCard(), Worker("Ada"), Worker("Grace"))
    card.contact = ada
    let log = try KeyValueChangeLog(of: card)
    #expect(log.id(of: ada) != nil)
    let copy = try KeyValueChangeLog(restoring: log.snapshot(), as: IgnoringCard.self)
    let link = log.observe { record in
      do { try copy.apply(record) } catch { Issue.record(error) }
    }
    card.contact = grace
    copy.root.isHidden = false
    #expect(copy.root.contact?.name == "Grace" && log.id(of: ada) == nil)
    withExtendedLifetime(link) {}
  }

  @Test("willSet and didSet run for the subclasses of a class that asks")
  func propertyObservers() throws {
    func trace(of pane: SideSash, asking type: KeyValueLogClass) throws -> [String] {
      let log = try KeyValueChangeLog(of: pane, classes: [type])
      let id = try #require(log.id(of: pane))
      try log.apply(
        KeyValueTransactionRecord([
          .set(id, key: "width", old: 0, new: 7), .set(id, key: "depth", old: 0, new: 8),
        ]))
      #expect(pane.width == 7 && pane.depth == 8)
      return pane.trace
    }
    let both = ["width: 7", "depth: 8"]
    func asking<Asked: Sash>(_ type: Asked.Type) -> KeyValueLogClass {
      KeyValueLogClass(type, runsPropertyObservers: true)
    }
    #expect(try trace(of: SideSash(), asking: asking(Sash.self)) == both)
    #expect(try trace(of: SideSash(), asking: asking(SideSash.self)) == both)
    #expect(try trace(of: PlainSidePane(), asking: asking(Sash.self)) == both)
    #expect(try trace(of: SideSash(), asking: asking(PlainSidePane.self)) == [])
    #expect(try trace(of: SideSash(), asking: KeyValueLogClass(Sash.self)) == [])
  }
}
