#if !canImport(ObjectiveC)
  // An argument for `%@`, as every object is in Cocoa. Foundation for Linux requires this protocol.
  extension NSObject: _CVarArgObject {
    /// The object's description.
    public var _cVarArgObject: any CVarArg { NSString(string: description) }

    /// The description, encoded as an argument.
    public var _cVarArgEncoding: [Int] { _cVarArgObject._cVarArgEncoding }
  }
#endif
