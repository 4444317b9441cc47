import BenchmarkSupport

/// What hand-written observing takes part in.
///
/// No key path literal stands in this module: it would make the baseline slower.
public let handWrittenContenders =
  sameModuleContenders + otherModuleContenders + registrationContenders + pathContenders
  + dependentContenders + collectionContenders + memoryContenders + chainContenders
  + stringContenders + threadContenders + inPlaceContenders
