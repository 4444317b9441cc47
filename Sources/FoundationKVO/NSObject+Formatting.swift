#if !canImport(ObjectiveC)
  // An argument for `%@`, as every object is in Cocoa. Foundation for Linux asks for this protocol.
  extension NSObject: _CVarArgObject {
    /// The object's description.
    public var _cVarArgObject: any CVarArg { NSString(string: description) }

    /// The description's place among the arguments.
    public var _cVarArgEncoding: [Int] { _cVarArgObject._cVarArgEncoding }
  }
#endif
