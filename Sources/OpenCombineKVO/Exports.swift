// Clients of this module need the operators too.
#if canImport(Combine)
  @_exported import Combine
#elseif OpenCombine
  @_exported import OpenCombine
#endif
