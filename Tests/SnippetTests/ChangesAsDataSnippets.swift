import Foundation
import KeyValueObserving
import Testing

@Suite("ChangesAsData.md", .printing)
struct ChangesAsDataSnippets {
  // snippet ChangesAsData 1
  @KeyValueObservable
  final class Employee {
    var name = ""
    var salary = 0
  }

  @KeyValueObservable
  final class Company {
    var name = "Engines"
    var employees: [Employee] = []

    var payroll: Int { employees.reduce(0) { $0 + $1.salary } }
  }
  // end

  private func save(_ record: KeyValueTransactionRecord) {}

  @Test("Every change as data")
  func page() throws {
    // snippet ChangesAsData 1
    let company = Company()
    let log = try KeyValueChangeLog(of: company)
    let observation = log.observe { record in
      for edit in record.edits { print(edit.key ?? "an object") }
    }
    company.name = "Analytical Engines"  // name
    company.employees.append(Employee())  // an object
    // employees
    company.employees[0].salary = 10  // salary
    // end
    try expectPrinted("ChangesAsData", 1)
    observation.invalidate()
    let network = DispatchQueue(label: "network")
    @Sendable func send(_ record: KeyValueTransactionRecord) {}
    // snippet ChangesAsData 2
    let recorder = KeyValueChangeRecorder()
    try recorder.record(graph: company)
    let saving = log.observe { record in save(record) }
    let sending = log.observe(on: .queue(network)) { record in send(record) }
    // end
    recorder.stopRecording(graph: company)
    sending.invalidate()
    saving.invalidate()
    // snippet ChangesAsData 3
    let data = try JSONEncoder().encode(log.snapshot())
    let copy = try KeyValueChangeLog(
      restoring: JSONDecoder().decode(KeyValueSnapshot.self, from: data), as: Company.self)
    let replica = copy.root
    print(replica.name, replica.payroll)  // Analytical Engines 10
    // end
    try expectPrinted("ChangesAsData", 3)
    // snippet ChangesAsData 4
    let token = replica.kvo.payroll.observe(options: [.old, .new]) { _, change in print(change) }
    let link = log.observe { record in
      do { try copy.apply(record, from: "here") } catch { print(error) }
    }
    company.performChanges {
      $0.employees[0].salary += 5
      $0.name = "Engines & Co."
    }
    // setting, old: 10, new: 15
    // end
    try expectPrinted("ChangesAsData", 4)
    token.invalidate()
    link.invalidate()
    // snippet ChangesAsData 5
    let history = try KeyValueHistory(log)
    company.employees[0].salary = 20
    company.employees.removeAll()
    try history.go(to: 1)
    print(history.root.payroll)  // 20
    try history.go(to: 0)
    print(history.root.payroll)  // 15
    // end
    try expectPrinted("ChangesAsData", 5)
  }
}
