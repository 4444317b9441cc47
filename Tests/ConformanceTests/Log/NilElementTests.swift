import KeyValueObserving
import KeyValueTestSupport
import Testing

@KeyValueObservable
private final class Diner: Hashable {
  var name = ""

  required init() {}

  static func == (one: Diner, other: Diner) -> Bool { one === other }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

@KeyValueObservable
private final class Venue {
  var numbers: Set<Int?> = []
  var guests: Set<Diner?> = []
  /// Workers define no equality.
  var seats: [Worker?] = []

  required init() {}
}

@Suite("G. Collections with nil elements")
struct NilElementTests {
  @Test(
    "G1 G5 X3 A nil element is recorded, applied and undone as the others are",
    arguments: [true, false])
  func elements(isGraph: Bool) throws {
    let (venue, grace, ada) = (Venue(), Diner(), Worker("Ada"))
    venue.numbers = [1, nil]
    venue.guests = [grace, nil]
    venue.seats = [ada, nil]
    let log = try KeyValueChangeLog(of: venue)
    let copy = try KeyValueChangeLog(restoring: log.snapshot(), as: Venue.self)
    #expect(copy.root.numbers == [1, nil])
    #expect(copy.root.guests.count == 2 && copy.root.guests.contains(nil))
    #expect(copy.root.seats.map { $0?.name } == ["Ada", nil])
    let recorder = KeyValueChangeRecorder()
    if isGraph {
      try recorder.record(graph: venue)
    } else {
      try recorder.record(venue, "numbers", "guests", "seats")
    }
    let records = RecordLog(log)
    records.name(log.id(of: venue), "venue")
    records.name(log.id(of: grace), "grace")
    records.name(log.id(of: ada), "ada")
    let link = log.observe { record in
      do { try copy.apply(record) } catch { Issue.record(error) }
    }
    let numbers = venue.mutableSetValue(for: \.numbers)
    let guests = venue.mutableSetValue(for: \.guests)
    let seats = venue.mutableArrayValue(for: \.seats)
    let changes: [(text: String, make: () -> Void)] = [
      ("union venue.numbers: [2]", { numbers.insert(2) }),
      ("subtract venue.numbers: [nil]", { numbers.remove(nil) }),
      ("union venue.numbers: [nil]", { numbers.insert(nil) }),
      ("exchange venue.numbers: [1, 2] -> [3]", { numbers.replaceAll(with: [nil, 3]) }),
      ("set venue.numbers: [nil, 3] -> [3]", { venue.numbers.remove(nil) }),
      ("subtract venue.guests: [nil]", { guests.remove(nil) }),
      ("union venue.guests: [nil]", { guests.insert(nil) }),
      ("set venue.guests: [nil, @grace] -> [@grace]", { venue.guests = [grace] }),
      ("insert venue.seats at 2: [nil]", { seats.append(nil) }),
      ("insert venue.seats at 0: [@ada]", { seats.insert(ada, at: 0) }),
      ("remove venue.seats at 2: [nil]", { seats.remove(at: 2) }),
      ("replace venue.seats at 2: [nil] -> [@ada]", { seats[2] = ada }),
      (
        "amend venue.seats: removed at 1 [@ada], inserted at 1 [nil]", { venue.seats[1] = nil }
      ),
      ("amend venue.seats: inserted at 3 [nil]", { venue.seats.append(nil) }),
      ("amend venue.seats: removed at 0 [@ada]", { venue.seats.removeFirst() }),
    ]
    var states = try [log.snapshot()]
    for change in changes {
      change.make()
      #expect(records.take() == ["change: \(change.text)"])
      states.append(try log.snapshot())
      #expect(try copy.snapshot() == states.last)
    }
    #expect(venue.numbers == [3] && copy.root.seats.map { $0?.name } == [nil, "Ada", nil])
    for _ in 1...2 {
      for state in states.dropLast().reversed() {
        #expect(try recorder.undo() && log.snapshot() == state && copy.snapshot() == state)
      }
      #expect(!recorder.canUndo)
      for state in states.dropFirst() {
        #expect(try recorder.redo() && log.snapshot() == state && copy.snapshot() == state)
      }
      #expect(!recorder.canRedo)
    }
    withExtendedLifetime(link) {}
  }
}
