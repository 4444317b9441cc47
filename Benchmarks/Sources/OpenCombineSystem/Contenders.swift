import BenchmarkSupport

/// The workloads of OpenCombine.
public let openCombineContenders =
  publishedValueContenders + publishedRelationContenders + currentValueContenders
  + currentValueRelationContenders + inPlaceContenders + changeContenders
  + lookedThroughContenders
