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
}

extension Company {
  var names: [String] { employees.map(\.name) }
}
