#if !canImport(ObjectiveC)
  // An argument for `%@`, as every object is in Cocoa; Foundation asks for this protocol here.
  extension NSObject: _CVarArgObject {
    public var _cVarArgObject: any CVarArg { NSString(string: description) }

    public var _cVarArgEncoding: [Int] { _cVarArgObject._cVarArgEncoding }
  }
#endif
