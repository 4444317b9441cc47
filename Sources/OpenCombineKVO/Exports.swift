// Whoever imports this module wants the operators too.
#if canImport(Combine)
  @_exported import Combine
#elseif OpenCombine
  @_exported import OpenCombine
#endif
