import BenchmarkSupport

/// What Swift's Observation takes part in.
public let observationContenders =
  valueContenders + relationContenders + sequenceContenders + inPlaceContenders
