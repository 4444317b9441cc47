import BenchmarkSupport

/// What OpenCombine takes part in.
public let openCombineContenders =
  publishedValueContenders + publishedRelationContenders + currentValueContenders
  + currentValueRelationContenders + inPlaceContenders
