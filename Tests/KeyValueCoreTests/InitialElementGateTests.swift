import Testing

@testable import KeyValueCore

@Suite("InitialElementGate")
struct InitialElementGateTests {
  /// Wraps a gate in a class, so that expectations can call its mutating methods.
  private final class Subject {
    private var gate: InitialElementGate<Int>

    init(hasInitial: Bool) {
      gate = InitialElementGate(hasInitial: hasInitial)
    }

    func beginReading() -> Bool { gate.beginReading() }

    func admits(_ element: Int) -> Bool { gate.admits(element) }

    /// Opens the gate; returns whether the value is read again, and the elements that were held.
    func open() -> (again: Bool, held: [Int]) {
      switch gate.open() {
      case .open(let held): (false, held)
      case .readAgain(let discarded): (true, discarded)
      }
    }
  }

  @Test("Without an initial element the gate is open from the start")
  func open() {
    let gate = Subject(hasInitial: false)
    #expect(!gate.beginReading())
    #expect(gate.admits(1))
  }

  @Test("An element that arrives before the value is read is discarded")
  func registering() {
    let gate = Subject(hasInitial: true)
    #expect(!gate.admits(1))
    #expect(gate.beginReading())
    #expect(!gate.beginReading())
    #expect(gate.open() == (false, []))
    #expect(gate.admits(2))
  }

  @Test("An element that arrives while the value is read is discarded, and the value is read again")
  func readAgain() {
    let gate = Subject(hasInitial: true)
    #expect(gate.beginReading())
    #expect(!gate.admits(1) && !gate.admits(2))
    #expect(gate.open() == (true, [1, 2]))
    #expect(!gate.admits(3))
    #expect(gate.open() == (true, [3]))
    #expect(gate.open() == (false, []))
    #expect(gate.admits(4))
  }

  @Test("Elements that arrive during one reading are held in their order, however many they are")
  func many() {
    let gate = Subject(hasInitial: true)
    #expect(gate.beginReading())
    #expect((0..<100_000).count { gate.admits($0) } == 0)
    #expect(gate.open() == (true, Array(0..<100_000)))
    #expect(gate.open() == (false, []))
  }

  @Test("After sixteen readings a changing value is accepted, followed by the held elements")
  func persistent() {
    let gate = Subject(hasInitial: true)
    #expect(gate.beginReading())
    var readings = 0
    while readings < 100 {
      readings += 1
      #expect(!gate.admits(readings) && !gate.admits(-readings))
      let (again, held) = gate.open()
      #expect(held == [readings, -readings])
      if !again { break }
    }
    #expect(readings == 16)
    #expect(gate.admits(0))
  }
}
