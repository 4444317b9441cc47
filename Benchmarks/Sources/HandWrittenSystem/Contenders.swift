import BenchmarkSupport

/// The workloads of hand-written observing.
///
/// This module has no key path literal: it would make the baseline slower.
public let handWrittenContenders =
  sameModuleContenders + otherModuleContenders + registrationContenders + pathContenders
  + dependentContenders + collectionContenders + memoryContenders + chainContenders
  + stringContenders + threadContenders + inPlaceContenders + changeContenders
  + lookedThroughContenders + logContenders
