import BenchmarkSupport

/// What this library takes part in.
public let keyValueContenders =
  sameModuleContenders + otherModuleContenders + registrationContenders + pathContenders
  + dependentContenders + collectionContenders + memoryContenders + chainContenders
  + stringContenders + threadContenders + inPlaceContenders
