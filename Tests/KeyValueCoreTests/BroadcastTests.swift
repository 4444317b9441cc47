import Testing

@testable import KeyValueCore

@Suite("Broadcast")
struct BroadcastTests {
  private func all(_ broadcast: Broadcast<Int>, _ listener: Int) -> [Int] {
    var elements: [Int] = []
    while let element = broadcast.take(listener) { elements.append(element) }
    return elements
  }

  @Test("A value that was read earlier but arrives later is replaced by the newer value")
  func readings() {
    let broadcast = Broadcast<Int>(.unbounded, hasInitial: false)
    let first = broadcast.addListener()
    let (earlier, later) = (broadcast.beginReading(), broadcast.beginReading())
    broadcast.append(currentBox: ValueBox(2), readAt: later)
    broadcast.append(currentBox: ValueBox(1), readAt: earlier)
    #expect(all(broadcast, first) == [2, 2])
    #expect(all(broadcast, broadcast.addListener()) == [2])
  }

  @Test("For one listener, the newest value is kept only while an earlier reading goes on")
  func oneListener() {
    let broadcast = Broadcast<Int>(.unbounded, hasInitial: false, keeping: .nothing)
    let listener = broadcast.addListener()
    let (earlier, later) = (broadcast.beginReading(), broadcast.beginReading())
    weak var newest: ValueBox<Int>?
    do {
      let box = ValueBox(2)
      newest = box
      broadcast.append(currentBox: box, readAt: later)
    }
    #expect(all(broadcast, listener) == [2])
    #expect(newest != nil)
    broadcast.append(currentBox: ValueBox(1), readAt: earlier)
    #expect(all(broadcast, listener) == [2])
    #expect(newest == nil)
  }

  @Test("An object that's kept weakly for a further listener may die, which then begins with nil")
  func weakly() {
    final class Thing {}
    let broadcast = Broadcast<Thing?>(
      .unbounded, hasInitial: false, keeping: .weak(valuesOf: Thing?.self))
    var thing: Thing? = Thing()
    broadcast.append(currentBox: ValueBox(thing), readAt: broadcast.beginReading())
    for _ in 0..<2 {
      let taken = broadcast.take(broadcast.addListener())
      #expect(taken.map { $0 === thing } == true)
    }
    weak let former = thing
    thing = nil
    #expect(former == nil)
    let taken = broadcast.take(broadcast.addListener())
    #expect(taken.map { $0 == nil } == true)
  }

  @Test("Each listener takes every element; a removed or cancelled listener takes none")
  func listeners() {
    let broadcast = Broadcast<Int>(.unbounded, hasInitial: false)
    let listeners = (0..<4).map { _ in broadcast.addListener() }
    broadcast.append(1)
    broadcast.removeListener(listeners[1])
    broadcast.cancel(listeners[2])
    broadcast.append(2)
    #expect(listeners.map { all(broadcast, $0) } == [[1, 2], [], [], [1, 2]])
    #expect(listeners.map { broadcast.isAtEnd($0) } == [false, true, true, false])
  }

  @Test("After the end, buffered elements can be taken; a new listener is at its end at once")
  func end() {
    let broadcast = Broadcast<Int>(.unbounded, hasInitial: false)
    let first = broadcast.addListener()
    broadcast.append(currentBox: ValueBox(1), readAt: broadcast.beginReading())
    broadcast.end()
    #expect(!broadcast.isAtEnd(first))
    #expect(all(broadcast, first) == [1] && broadcast.isAtEnd(first))
    #expect(all(broadcast, broadcast.addListener()) == [])
  }

  @Test("Dropped elements are counted for each listener and in total")
  func dropped() {
    let broadcast = Broadcast<Int>(.bufferingNewest(2), hasInitial: false)
    let listeners = (0..<2).map { _ in broadcast.addListener() }
    broadcast.append(0)
    #expect(all(broadcast, listeners[1]) == [0])
    for element in 1...3 { broadcast.append(element) }
    #expect(listeners.map { broadcast.droppedCount(of: $0) } == [2, 1])
    #expect(broadcast.droppedCount == 3)
    #expect(listeners.map { all(broadcast, $0) } == [[2, 3], [2, 3]])
  }
}
