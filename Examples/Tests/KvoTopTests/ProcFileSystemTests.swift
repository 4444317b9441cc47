import Foundation
import ProcFiles
import Testing

@Suite("Reading a proc file system")
struct ProcFileSystemTests {
  @Test("Processes are in ascending order of their ids")
  func order() throws {
    let folder = try TemporaryFolder([
      "10/stat": "10 (ten) S 1 1 1 0 -1 0 0 0 0 0 4 5 0 0 20 0 1 0 77 0 2",
      "9/stat": "9 (nine) R 1",
      "self/stat": "10 (ten) S 1",
      "sys/kernel/hostname": "host\n",
      "uptime": "12.50 3.00\n",
      "loadavg": "0.20 0.18 0.12 1/80 11206\n",
    ])
    let sample = try ProcFileSystem(root: folder.path).sample()
    #expect(sample.processes.map(\.pid) == [9, 10])
    #expect(sample.processes[1].command == "ten")
    #expect(sample.processes[1].cpuTicks == 9)
    #expect(sample.processes[1].startTicks == 77)
    #expect(sample.processes[1].effectiveUserID == geteuid())
    #expect(sample.processes[0].residentBytes == nil)
    #expect(sample.hostName == "host")
    #expect(sample.uptime == 12.5)
    #expect(sample.loadAverages?.fiveMinutes == 0.18)
    #expect(sample.cpuTimes == nil)
    #expect(sample.memory == nil)
  }

  @Test("A process that ends during reading is omitted")
  func vanished() throws {
    let folder = try TemporaryFolder([
      "1/stat": "1 (init) S 0", "2/other": "",
    ])
    #expect(try ProcFileSystem(root: folder.path).sample().processes.map(\.pid) == [1])
  }

  @Test("A process's unreadable files leave its fields unknown")
  func unreadable() throws {
    let folder = try TemporaryFolder(["2/stat": "no stat"])
    // A folder in place of a file: any user can open it, and none can read it.
    try FileManager.default.createDirectory(
      atPath: "\(folder.path)/1/stat", withIntermediateDirectories: true)
    let processes = try ProcFileSystem(root: folder.path).sample().processes
    #expect(processes.map(\.pid) == [1, 2])
    #expect(processes.allSatisfy { $0.command == nil && $0.residentBytes == nil })
  }

  @Test("A missing folder is an error that states what is needed")
  func missing() throws {
    let error = #expect(throws: ProcUnavailable.self) {
      try ProcFileSystem(root: "/nowhere/proc").sample()
    }
    let text = try #require(error).description
    #expect(text.contains("/nowhere/proc: No such file or directory"))
    #expect(text.contains("needs Linux's proc file system"))
  }

  @Test("A folder without processes is an error")
  func empty() throws {
    let folder = try TemporaryFolder(["uptime": "1 1"])
    let error = #expect(throws: ProcUnavailable.self) {
      try ProcFileSystem(root: folder.path).sample()
    }
    #expect(error?.reason == "There is no process in it")
  }

  #if os(Linux)
    @Test("This machine's proc file system contains this process")
    func real() throws {
      let sample = try ProcFileSystem().sample()
      let own = sample.processes.first { $0.pid == getpid() }
      #expect(own?.state != nil)
      #expect((own?.residentBytes ?? 0) > 0)
      #expect(own?.effectiveUserID == geteuid())
    }
  #endif
}
