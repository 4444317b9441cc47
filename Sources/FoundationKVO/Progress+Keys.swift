import KeyValueCore

extension Progress {
  /// Describes the keys to the schema.
  static func defineKeys(in schema: KeyValueSchemaBuilder) {
    schema.computed(
      "fractionCompleted", \Progress.fractionCompleted,
      get: { (object: Progress) in object.fractionCompleted })
    schema.computed(
      "isFinished", \Progress.isFinished, get: { (object: Progress) in object.isFinished })
    schema.computed(
      "isIndeterminate", \Progress.isIndeterminate,
      get: { (object: Progress) in object.isIndeterminate })
    schema.computed(
      "isCancelled", \Progress.isCancelled, get: { (object: Progress) in object.isCancelled })
    schema.computed("isPaused", \Progress.isPaused, get: { (object: Progress) in object.isPaused })
    schema.computed("userInfo", \Progress.userInfo, get: { (object: Progress) in object.userInfo })
    schema.computed(
      "totalUnitCount", \Progress.totalUnitCount, notifiesManually: true,
      get: { (object: Progress) in object.totalUnitCount }, set: { $0.totalUnitCount = $1 })
    schema.computed(
      "completedUnitCount", \Progress.completedUnitCount, notifiesManually: true,
      get: { (object: Progress) in object.completedUnitCount }, set: { $0.completedUnitCount = $1 })
    schema.computed(
      "isCancellable", \Progress.isCancellable, notifiesManually: true,
      get: { (object: Progress) in object.isCancellable }, set: { $0.isCancellable = $1 })
    schema.computed(
      "isPausable", \Progress.isPausable, notifiesManually: true,
      get: { (object: Progress) in object.isPausable }, set: { $0.isPausable = $1 })
    schema.computed(
      "kind", \Progress.kind, notifiesManually: true,
      get: { (object: Progress) in object.kind }, set: { $0.kind = $1 })
    schema.computed(
      "localizedDescription", \Progress.localizedDescription, notifiesManually: true,
      get: { (object: Progress) in object.localizedDescription },
      set: { $0.localizedDescription = $1 })
    schema.computed(
      "localizedAdditionalDescription", \Progress.localizedAdditionalDescription,
      notifiesManually: true,
      get: { (object: Progress) in object.localizedAdditionalDescription },
      set: { $0.localizedAdditionalDescription = $1 })
    schema.computed(
      "fileURL", \Progress.fileURL, notifiesManually: true,
      get: { (object: Progress) in object.fileURL }, set: { $0.fileURL = $1 })
    schema.computed(
      "fileOperationKind", \Progress.fileOperationKind, notifiesManually: true,
      get: { (object: Progress) in object.fileOperationKind }, set: { $0.fileOperationKind = $1 })
    schema.computed(
      "fileTotalCount", \Progress.fileTotalCount, notifiesManually: true,
      get: { (object: Progress) in object.fileTotalCount }, set: { $0.fileTotalCount = $1 })
    schema.computed(
      "fileCompletedCount", \Progress.fileCompletedCount, notifiesManually: true,
      get: { (object: Progress) in object.fileCompletedCount }, set: { $0.fileCompletedCount = $1 })
    schema.computed(
      "estimatedTimeRemaining", \Progress.estimatedTimeRemaining, notifiesManually: true,
      get: { (object: Progress) in object.estimatedTimeRemaining },
      set: { $0.estimatedTimeRemaining = $1 })
    schema.computed(
      "throughput", \Progress.throughput, notifiesManually: true,
      get: { (object: Progress) in object.throughput }, set: { $0.throughput = $1 })
    // This class announces these keys, and overrides must announce them.
    for key in [
      "fractionCompleted", "isFinished", "isIndeterminate", "isCancelled", "isPaused", "userInfo",
    ] { schema.completeDependencies(of: key) }
    schema.addCocoaName(of: "isFinished", \Progress.isFinished)
    schema.addCocoaName(of: "isIndeterminate", \Progress.isIndeterminate)
    schema.addCocoaName(of: "isCancelled", \Progress.isCancelled)
    schema.addCocoaName(of: "isPaused", \Progress.isPaused)
    schema.addCocoaName(of: "isCancellable", \Progress.isCancellable)
    schema.addCocoaName(of: "isPausable", \Progress.isPausable)
  }
}
