import Testing

@testable import KeyValueCore

@Suite("Opening")
struct OpeningStateTests {
  /// Asks an opening, inside of expectations too.
  private final class Subject {
    private var opening: Opening<Int>

    init(hasInitial: Bool) {
      opening = Opening(hasInitial: hasInitial)
    }

    func beginReading() -> Bool { opening.beginReading() }

    func admits(_ element: Int) -> Bool { opening.admits(element) }

    /// The elements that were held, and whether the value is read again.
    func open() -> (again: Bool, held: [Int]) {
      switch opening.open() {
      case .open(let held): (false, held)
      case .readAgain(let discarded): (true, discarded)
      }
    }
  }

  @Test("Without an initial element it is open from the start")
  func open() {
    let opening = Subject(hasInitial: false)
    #expect(!opening.beginReading())
    #expect(opening.admits(1))
  }

  @Test("What comes before the value is read is in it, so it is let go of")
  func registering() {
    let opening = Subject(hasInitial: true)
    #expect(!opening.admits(1))
    #expect(opening.beginReading())
    #expect(!opening.beginReading())
    #expect(opening.open() == (false, []))
    #expect(opening.admits(2))
  }

  @Test("What comes while the value is read has it read again, and is not told beside it")
  func readAgain() {
    let opening = Subject(hasInitial: true)
    #expect(opening.beginReading())
    #expect(!opening.admits(1) && !opening.admits(2))
    #expect(opening.open() == (true, [1, 2]))
    #expect(!opening.admits(3))
    #expect(opening.open() == (true, [3]))
    #expect(opening.open() == (false, []))
    #expect(opening.admits(4))
  }

  @Test("A value that changes at every reading is taken after sixteen, with the changes behind it")
  func persistent() {
    let opening = Subject(hasInitial: true)
    #expect(opening.beginReading())
    var readings = 0
    while readings < 100 {
      readings += 1
      #expect(!opening.admits(readings) && !opening.admits(-readings))
      let (again, held) = opening.open()
      #expect(held == [readings, -readings])
      if !again { break }
    }
    #expect(readings == 16)
    #expect(opening.admits(0))
  }
}
