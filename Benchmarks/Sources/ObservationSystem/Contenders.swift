import BenchmarkSupport

/// The workloads of Swift's Observation.
public let observationContenders =
  valueContenders + relationContenders + sequenceContenders + inPlaceContenders
  + changeContenders
