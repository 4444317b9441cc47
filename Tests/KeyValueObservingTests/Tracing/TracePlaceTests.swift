import KeyValueObserving
import Testing

@Suite("Places of registrations in traces")
struct TracePlaceTests {
  private func places(_ trace: KeyValueTrace) -> [String] {
    trace.events.filter { $0.kind == .registered }
      .map { "\($0.keyPath) \($0.place.map { "\($0)" } ?? "nowhere")" }
  }

  @Test("A recorder's registrations have the place of the call to record")
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
    // An element added later has the place of the call that began its recording.
    let later = KeyValueTrace.recording { department.employees.append(TracedEmployee(2)) }
    #expect(places(later) == ["salary TracePlaceTests.swift:\(line + 1)"])
    recorder.stopRecording(department.kvo.employees)
  }

  @Test("A recorder's registrations by typed path have the place of the call to record")
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
