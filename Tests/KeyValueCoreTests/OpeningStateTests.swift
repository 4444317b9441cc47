import Testing

@testable import KeyValueCore

@Suite("Opening")
struct OpeningStateTests {
  /// What opening answers: the elements that were held, and whether the value is read again.
  private func opened(_ opening: inout Opening<Int>) -> (again: Bool, held: [Int]) {
    switch opening.open() {
    case .open(let held): (false, held)
    case .readAgain(let discarded): (true, discarded)
    }
  }

  @Test("Without an initial element it is open from the start")
  func open() {
    var opening = Opening<Int>(hasInitial: false)
    #expect(!opening.beginReading())
    #expect(opening.admits(1))
  }

  @Test("What comes before the value is read is in it, so it is let go of")
  func registering() {
    var opening = Opening<Int>(hasInitial: true)
    #expect(!opening.admits(1))
    #expect(opening.beginReading())
    #expect(!opening.beginReading())
    #expect(opened(&opening) == (false, []))
    #expect(opening.admits(2))
  }

  @Test("What comes while the value is read has it read again, and is not told beside it")
  func readAgain() {
    var opening = Opening<Int>(hasInitial: true)
    #expect(opening.beginReading())
    #expect(!opening.admits(1) && !opening.admits(2))
    #expect(opened(&opening) == (true, [1, 2]))
    #expect(!opening.admits(3))
    #expect(opened(&opening) == (true, [3]))
    #expect(opened(&opening) == (false, []))
    #expect(opening.admits(4))
  }

  @Test("A value that changes at every reading is taken after sixteen, with the changes behind it")
  func persistent() {
    var opening = Opening<Int>(hasInitial: true)
    #expect(opening.beginReading())
    var readings = 0
    while readings < 100 {
      readings += 1
      #expect(!opening.admits(readings) && !opening.admits(-readings))
      let (again, held) = opened(&opening)
      #expect(held == [readings, -readings])
      if !again { break }
    }
    #expect(readings == 16)
    #expect(opening.admits(0))
  }
}
