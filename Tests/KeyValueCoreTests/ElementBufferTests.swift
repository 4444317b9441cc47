import Testing

@testable import KeyValueCore

@Suite("ElementBuffer")
struct ElementBufferTests {
  private func drained(_ buffer: ElementBuffer<Int>) -> [Int] {
    var buffer = buffer
    var elements: [Int] = []
    while let element = buffer.popFirst() { elements.append(element) }
    return elements
  }

  @Test("An unbounded buffer keeps every element in order")
  func unbounded() {
    var buffer = ElementBuffer<Int>(.unbounded)
    #expect(buffer.isEmpty)
    #expect((0..<100).map { buffer.append($0) }.allSatisfy { $0 == nil })
    #expect(drained(buffer) == Array(0..<100) && buffer.droppedCount == 0 && !buffer.isEmpty)
  }

  @Test("A full bufferingOldest buffer returns and counts each new element")
  func oldest() {
    var buffer = ElementBuffer<Int>(.bufferingOldest(2))
    #expect((0..<4).map { buffer.append($0) } == [nil, nil, 2, 3])
    #expect(drained(buffer) == [0, 1] && buffer.droppedCount == 2)
    #expect(buffer.popFirst() == 0)
    #expect(buffer.append(4) == nil)
    #expect(drained(buffer) == [1, 4] && buffer.droppedCount == 2)
  }

  @Test("A full bufferingNewest buffer returns and counts its oldest element")
  func newest() {
    var buffer = ElementBuffer<Int>(.bufferingNewest(2))
    #expect((0..<4).map { buffer.append($0) } == [nil, nil, 0, 1])
    #expect(drained(buffer) == [2, 3] && buffer.droppedCount == 2)
  }

  @Test("A limit below one leaves room for one element", arguments: [0, -1])
  func limits(limit: Int) {
    var oldest = ElementBuffer<Int>(.bufferingOldest(limit))
    #expect([oldest.append(1), oldest.append(2)] == [nil, 2])
    #expect(drained(oldest) == [1])
    var newest = ElementBuffer<Int>(.bufferingNewest(limit))
    #expect([newest.append(1), newest.append(2)] == [nil, 1])
    #expect(drained(newest) == [2])
  }

  @Test("An emptied buffer takes elements again, and keeps its dropped count")
  func emptied() {
    var buffer = ElementBuffer<Int>(.bufferingNewest(1))
    for element in 0..<3 { _ = buffer.append(element) }
    buffer.removeAll()
    #expect(buffer.isEmpty && buffer.popFirst() == nil && buffer.droppedCount == 2)
    #expect(buffer.append(3) == nil)
    #expect(drained(buffer) == [3])
  }

  @Test("A queue releases the elements that it has returned")
  func queue() {
    final class Item {}
    var queue = Fifo<Item>()
    var items = (0..<5).map { _ in Item() }
    let references = items.map { item in { [weak item] in item } }
    for item in items { queue.append(item) }
    items = []
    for index in 0..<5 {
      #expect(queue.popFirst() != nil && queue.count == 4 - index)
      #expect(references.map { $0() != nil } == (0..<5).map { $0 > index })
    }
    #expect(queue.popFirst() == nil)
  }
}
