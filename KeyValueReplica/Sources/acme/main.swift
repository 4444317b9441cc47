// snippet SeveralProcesses 2
import KeyValueObserving
import KeyValueReplica

let replica = try await KeyValueReplica.open(
  Company.self, document: "acme", in: .sqlite(path: "acme.kvo"))
let company = replica.root

let payroll = company.kvo.payroll.observe(options: [.initial, .old, .new]) { _, change in
  print("payroll:", change.oldValue ?? 0, "->", change.newValue ?? 0)
}

let words = CommandLine.arguments
if words.count == 3, let salary = Int(words[2]) {
  company.performChanges { company in
    let employee = Employee()
    employee.name = words[1]
    employee.salary = salary
    company.employees.append(employee)
  }
  try await replica.close()
} else {
  for await _ in replica.kvo.revision.values() {
    print(company.employees.map(\.name))
  }
}
// end
