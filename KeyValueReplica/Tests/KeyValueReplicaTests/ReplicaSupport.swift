import Foundation
import KeyValueObserving
import KeyValueReplica
import Testing

/// Opens a replica of the company.
@MainActor
func open(
  _ store: some LogStore, _ author: String = "a", document: String = "acme",
  _ configure: (inout KeyValueReplicaOptions) -> Void = { _ in }
) async throws -> KeyValueReplica<Company> {
  var options = KeyValueReplicaOptions()
  options.author = author
  configure(&options)
  return try await KeyValueReplica.open(
    Company.self, document: document, in: store, options: options, classes: classes)
}

/// A record with an edit that a later format could have.
let laterRecord =
  #"{"edits":[{"rename":"x"}],"id":"0b8e5a4c-1f7d-4e2b-9c3a-6d5f8e7a5e01","isTransaction":false}"#

/// Why transactions are given up whose answer was lost and that the store has forgotten.
let outcomeForgotten = KeyValueReplicaError.refused(
  code: "forgotten",
  message: "A transaction was sent, its answer was lost, and the store has forgotten since "
    + "whether it was committed. It isn't sent again: see whether the document has its change.")

/// A folder of a test's own, which is deleted with the test's suite.
final class TestFolder: Sendable {
  let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// Waits until something is so.
@MainActor
func waitUntil(_ isReached: @autoclosure () -> Bool) async throws {
  while !isReached() {
    try Task.checkCancellation()
    await Task.yield()
  }
}

/// Opens a document, changes it offline, and leaves the changes in the queue's file.
@MainActor
func leave<Root: KeyValueObservable>(
  _ store: MemoryLogStore, opening opened: @MainActor () async throws -> KeyValueReplica<Root>,
  changing change: @MainActor (Root) -> Void
) async throws {
  weak var root: Root?
  do {
    let replica = try await opened()
    root = replica.root
    store.setDown(true)
    await replica.waits(until: \.isOffline)
    change(replica.root)
    await #expect(throws: KeyValueReplicaError.self) { try await replica.close() }
  }
  try await waitUntil(root == nil)
  store.setDown(false)
}

/// Waits until an object has died, as a replica's root does when the replica's loop has ended and left its file.
@MainActor
func death(of object: () -> AnyObject?) async throws {
  while object() != nil {
    try Task.checkCancellation()
    await Task.yield()
  }
}

/// Opens a replica of a newer program's company.
@MainActor
func openNewer(
  _ store: some LogStore, folder: String? = nil
) async throws -> KeyValueReplica<NewCompany> {
  try await KeyValueReplica.open(
    NewCompany.self, document: "acme", in: store,
    options: KeyValueReplicaOptions(schema: 2, author: "newer", queueFolder: folder),
    classes: newClasses)
}

extension KeyValueReplica where Root == Company {
  @MainActor
  var identity: KeyValueObjectID? { id(of: root) }
}

extension KeyValueReplica {
  /// Waits until the graph has a revision and nothing is unacknowledged.
  @MainActor
  func reaches(_ revision: Int64) async throws {
    for await value in kvo.revision.values() where value >= revision { break }
    for await value in kvo.status.values() where value == .current { break }
  }

  /// Waits until the replica has such a status.
  @MainActor
  func waits(until isReached: (KeyValueReplicaStatus) -> Bool) async {
    for await status in kvo.status.values() where isReached(status) { break }
  }
}

extension KeyValueReplicaStatus {
  var isOffline: Bool { if case .offline = self { true } else { false } }
}

extension Company {
  var names: [String] { employees.map(\.name) }
}
