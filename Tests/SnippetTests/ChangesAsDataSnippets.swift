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

  // snippet ChangesAsData 6
  struct RecordFile {
    let url: URL

    func append(_ record: KeyValueTransactionRecord) throws {
      let json = try Data(record.json())
      if !FileManager.default.fileExists(atPath: url.path) { try Data().write(to: url) }
      let file = try FileHandle(forWritingTo: url)
      defer { try? file.close() }
      try file.seekToEnd()
      try file.write(contentsOf: Data("\(checksum(json)) ".utf8) + json + Data("\n".utf8))
      try file.synchronize()
    }

    /// The records up to the first torn one, which is cut off.
    func read() throws -> [KeyValueTransactionRecord] {
      guard FileManager.default.fileExists(atPath: url.path) else { return [] }
      let data = try Data(contentsOf: url)
      var records: [KeyValueTransactionRecord] = []
      var end = data.startIndex
      while let newline = data[end...].firstIndex(of: UInt8(ascii: "\n")) {
        let parts = data[end..<newline].split(separator: UInt8(ascii: " "), maxSplits: 1)
        guard parts.count == 2, String(decoding: parts[0], as: UTF8.self) == "\(checksum(parts[1]))"
        else { break }
        records.append(try KeyValueTransactionRecord(json: parts[1]))
        end = data.index(after: newline)
      }
      if end < data.endIndex {
        print("The end of \(url.lastPathComponent) was torn, and is dropped.")
        try data[..<end].write(to: url, options: .atomic)
      }
      return records
    }

    /// The FNV-1a hash, which finds what a crash has torn.
    private func checksum(_ data: Data) -> UInt64 {
      data.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
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
    let json = try log.snapshot().json()
    let copy = try KeyValueChangeLog(restoring: KeyValueSnapshot(json: json), as: Company.self)
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
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // snippet ChangesAsData 7
    let start = try log.snapshot()
    let file = RecordFile(url: folder.appending(path: "company.records"))
    let writing = log.observe { record in try? file.append(record) }
    company.name = "Engines, Inc."
    company.employees.append(Employee())
    let restored = try KeyValueChangeLog(restoring: start, as: Company.self)
    for record in try file.read() { try restored.apply(record) }
    print(restored.root.name, restored.root.employees.count)  // Engines, Inc. 1
    // end
    try expectPrinted("ChangesAsData", 7)
    writing.invalidate()
    // snippet ChangesAsData 8
    let document = Company()
    let changes = try KeyValueChangeLog(of: document)
    let beginning = try changes.snapshot()
    let journal = RecordFile(url: folder.appending(path: "document.records"))

    let autosave = changes.observe { record in try? journal.append(record) }
    let undo = KeyValueChangeRecorder()
    try undo.record(graph: document)
    let printing = changes.observe { record in print("\(record.edits.count) edits") }

    let showing = document.kvo.payroll.observe(options: [.old, .new]) { _, change in
      print(change)
    }
    document.employees.append(Employee())
    // setting, old: 0, new: 0
    // 2 edits
    document.performChanges {
      $0.name = "Engines & Co."
      $0.employees[0].salary = 10
    }
    // setting, old: 0, new: 10
    // 2 edits
    try undo.undo()
    // setting, old: 10, new: 0
    // 2 edits

    let replayed = try KeyValueChangeLog(restoring: beginning, as: Company.self)
    let again = replayed.root.kvo.payroll.observe(options: [.old, .new]) { _, change in
      print(change)
    }
    for record in try journal.read() { try replayed.apply(record) }
    // setting, old: 0, new: 0
    // setting, old: 0, new: 10
    // setting, old: 10, new: 0
    // end
    try expectPrinted("ChangesAsData", 8)
    showing.invalidate()
    again.invalidate()
    autosave.invalidate()
    printing.invalidate()
    undo.stopRecording(graph: document)
    // snippet ChangesAsData 9
    do {
      _ = try KeyValueLogValue(json: #"{"name": "Ada", "salary": 1O}"#.utf8)
    } catch {
      print(error)
      // Bad JSON at line 1, column 28, in salary: there's 'O' where ',' or '}' belongs.
    }
    // end
    try expectPrinted("ChangesAsData", 9)
    company.employees = [Employee()]
    var renamed = try log.snapshot()
    for (id, object) in renamed.objects where object.values["salary"] != nil {
      renamed.objects[id]?.values["salary"] = nil
      renamed.objects[id]?.values["pay"] = 20
    }
    let oldFile = try renamed.json()
    let oldRecords = renamed.objects.keys.filter { $0 != renamed.root }.map {
      KeyValueTransactionRecord([.set($0, key: "pay", old: 20, new: 30)])
    }
    // snippet ChangesAsData 10
    var old = try KeyValueSnapshot(json: oldFile)
    for record in oldRecords { try old.apply(record) }
    for id in old.objects.keys {
      let pay = old.objects[id]?.values.removeValue(forKey: "pay")
      if let pay { old.objects[id]?.values["salary"] = pay }
    }
    let opened = try KeyValueChangeLog(restoring: old, as: Company.self)
    print(opened.root.payroll)  // 30
    // end
    try expectPrinted("ChangesAsData", 10)
    let whole = try Data(contentsOf: file.url)
    try whole.dropLast(9).write(to: file.url)
    #expect(try file.read().count == 1 && file.read().count == 1)
  }
}
