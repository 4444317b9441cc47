import BenchmarkSupport

/// The workloads of this library.
public let keyValueContenders =
  sameModuleContenders + otherModuleContenders + registrationContenders + pathContenders
  + dependentContenders + collectionContenders + memoryContenders + chainContenders
  + stringContenders + threadContenders + inPlaceContenders + changeContenders
  + lookedThroughContenders + logContenders
