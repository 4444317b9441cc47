import BenchmarkSupport

/// What hand-written observing takes part in.
///
/// No key path literal stands in this module.
public let handWrittenContenders =
  sameModuleContenders + otherModuleContenders + registrationContenders + pathContenders
  + dependentContenders + collectionContenders
