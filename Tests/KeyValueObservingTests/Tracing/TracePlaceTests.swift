import KeyValueObserving
import Testing

@Suite("Places of registrations in traces")
struct TracePlaceTests {
  private func places(_ trace: KeyValueTrace) -> [String] {
    trace.events.filter { $0.kind == .registered }
      .map { "\($0.keyPath) \($0.place.map { "\($0)" } ?? "nowhere")" }
  }

  @Test("What a recorder records has the place of the call")
  func recorder() throws {
    let department = TracedDepartment()
    department.employees = [TracedEmployee(1)]
    let recorder = KeyValueChangeRecorder()
    let trace = try KeyValueTrace.recording {
      try recorder.record(department, "employees")
      try recorder.record(department, ["employees.salary"])
    }
    let line = #line - 3
    #expect(
      places(trace) == [
        "employees TracePlaceTests.swift:\(line)", "employees TracePlaceTests.swift:\(line + 1)",
        "salary TracePlaceTests.swift:\(line + 1)",
      ])
    // An element that comes later has the place of the call that began it.
    let later = KeyValueTrace.recording { department.employees.append(TracedEmployee(2)) }
    #expect(places(later) == ["salary TracePlaceTests.swift:\(line + 1)"])
    recorder.stopRecording(department.kvo.employees)
  }

  @Test("Typed paths that a recorder records have it, too")
  func typed() throws {
    let person = TracedPerson()
    let recorder = KeyValueChangeRecorder()
    let trace = try KeyValueTrace.recording {
      try recorder.record(person.kvo.age, person.kvo.firstName)
    }
    let line = #line - 2
    #expect(
      places(trace) == [
        "age TracePlaceTests.swift:\(line)", "firstName TracePlaceTests.swift:\(line)",
      ])
    recorder.stopRecording(person.kvo.age, person.kvo.firstName)
  }
}
