import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// PostgreSQL's client library, loaded when it's first needed.
///
/// A program that keeps its documents in files builds and runs without it. The declarations are those
/// of `libpq-fe.h`.
struct LibPQ: Sendable {
  /// The library that this process uses, or why there's none.
  static let shared: Result<LibPQ, LogError> = Result { () throws(LogError) in
    try LibPQ(files: standardFiles)
  }

  static let standardFiles = [
    "libpq.so.5", "libpq.so", "libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib",
    "/usr/local/opt/libpq/lib/libpq.5.dylib",
    "/Applications/Postgres.app/Contents/Versions/latest/lib/libpq.5.dylib",
  ]

  typealias Text = UnsafePointer<CChar>
  typealias Texts = UnsafePointer<UnsafePointer<CChar>?>
  typealias Handle = OpaquePointer

  let connect: @Sendable @convention(c) (Texts, Texts, Int32) -> Handle?
  let reset: @Sendable @convention(c) (Handle) -> Void
  let finish: @Sendable @convention(c) (Handle) -> Void
  let status: @Sendable @convention(c) (Handle) -> Int32
  let serverProcess: @Sendable @convention(c) (Handle) -> Int32
  let errorMessage: @Sendable @convention(c) (Handle) -> Text?
  let setVerbosity: @Sendable @convention(c) (Handle, Int32) -> Int32
  let setContextVisibility: @Sendable @convention(c) (Handle, Int32) -> Int32
  let setNoticeReceiver:
    @Sendable @convention(c) (
      Handle, (@convention(c) (UnsafeMutableRawPointer?, OpaquePointer?) -> Void)?,
      UnsafeMutableRawPointer?
    ) -> UnsafeRawPointer?
  let parseOptions:
    @Sendable @convention(c) (Text, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) ->
      UnsafeMutableRawPointer?
  let freeOptions: @Sendable @convention(c) (UnsafeMutableRawPointer) -> Void
  let freeMemory: @Sendable @convention(c) (UnsafeMutableRawPointer) -> Void
  let socket: @Sendable @convention(c) (Handle) -> Int32
  let setNonblocking: @Sendable @convention(c) (Handle, Int32) -> Int32
  let flush: @Sendable @convention(c) (Handle) -> Int32
  let consumeInput: @Sendable @convention(c) (Handle) -> Int32
  let isBusy: @Sendable @convention(c) (Handle) -> Int32
  let notifies: @Sendable @convention(c) (Handle) -> UnsafeMutableRawPointer?
  let sendPrepare:
    @Sendable @convention(c) (Handle, Text, Text, Int32, UnsafePointer<UInt32>?) -> Int32
  let sendQueryPrepared:
    @Sendable @convention(c) (
      Handle, Text, Int32, Texts?, UnsafePointer<Int32>?, UnsafePointer<Int32>?, Int32
    ) -> Int32
  let sendQuery:
    @Sendable @convention(c) (
      Handle, Text, Int32, UnsafePointer<UInt32>?, Texts?, UnsafePointer<Int32>?,
      UnsafePointer<Int32>?, Int32
    ) -> Int32
  let result: @Sendable @convention(c) (Handle) -> Handle?
  let resultStatus: @Sendable @convention(c) (Handle?) -> Int32
  let resultErrorMessage: @Sendable @convention(c) (Handle) -> Text?
  let resultErrorField: @Sendable @convention(c) (Handle, Int32) -> Text?
  let clear: @Sendable @convention(c) (Handle) -> Void
  let rowCount: @Sendable @convention(c) (Handle) -> Int32
  let isNull: @Sendable @convention(c) (Handle, Int32, Int32) -> Int32
  let length: @Sendable @convention(c) (Handle, Int32, Int32) -> Int32
  let value: @Sendable @convention(c) (Handle, Int32, Int32) -> UnsafeMutablePointer<CChar>?
  let cancellation: @Sendable @convention(c) (Handle) -> Handle?
  let cancel: @Sendable @convention(c) (Handle, UnsafeMutablePointer<CChar>, Int32) -> Int32
  let freeCancellation: @Sendable @convention(c) (Handle) -> Void

  /// Loads the first file that there is.
  init(files: [String]) throws(LogError) {
    var library: UnsafeMutableRawPointer?
    for file in files where library == nil { library = dlopen(file, RTLD_NOW | RTLD_LOCAL) }
    guard let library else {
      throw .refused(
        code: "libpq",
        message: "PostgreSQL's client library, libpq, isn't installed. Install Debian's and "
          + "Ubuntu's package libpq5, Fedora's libpq, or Homebrew's libpq.")
    }
    func function<F>(_ name: String, _ type: F.Type = F.self) throws(LogError) -> F {
      guard let address = dlsym(library, name) else {
        throw .refused(
          code: "libpq",
          message: "PostgreSQL's client library, libpq, has no function \(name). Install version "
            + "9.6 or later.")
      }
      // The property's type is the function's declaration in libpq-fe.h.
      return unsafeBitCast(address, to: type)
    }
    connect = try function("PQconnectdbParams")
    reset = try function("PQreset")
    finish = try function("PQfinish")
    status = try function("PQstatus")
    serverProcess = try function("PQbackendPID")
    errorMessage = try function("PQerrorMessage")
    setVerbosity = try function("PQsetErrorVerbosity")
    setContextVisibility = try function("PQsetErrorContextVisibility")
    setNoticeReceiver = try function("PQsetNoticeReceiver")
    parseOptions = try function("PQconninfoParse")
    freeOptions = try function("PQconninfoFree")
    freeMemory = try function("PQfreemem")
    socket = try function("PQsocket")
    setNonblocking = try function("PQsetnonblocking")
    flush = try function("PQflush")
    consumeInput = try function("PQconsumeInput")
    isBusy = try function("PQisBusy")
    notifies = try function("PQnotifies")
    sendPrepare = try function("PQsendPrepare")
    sendQueryPrepared = try function("PQsendQueryPrepared")
    sendQuery = try function("PQsendQueryParams")
    result = try function("PQgetResult")
    resultStatus = try function("PQresultStatus")
    resultErrorMessage = try function("PQresultErrorMessage")
    resultErrorField = try function("PQresultErrorField")
    clear = try function("PQclear")
    rowCount = try function("PQntuples")
    isNull = try function("PQgetisnull")
    length = try function("PQgetlength")
    value = try function("PQgetvalue")
    cancellation = try function("PQgetCancel")
    cancel = try function("PQcancel")
    freeCancellation = try function("PQfreeCancel")
  }

  /// The values of libpq's enumerations that are used.
  enum Constant {
    static let connectionOK: Int32 = 0
    static let verbosityDefault: Int32 = 1
    static let verbosityVerbose: Int32 = 2
    static let contextNever: Int32 = 0
    static let resultCommandOK: Int32 = 1
    static let resultTuplesOK: Int32 = 2
    static let binary: Int32 = 1
    /// The field of an error that has its SQLSTATE: "C".
    static let fieldState: Int32 = 67
  }

  /// The options of a connection string that have a value; nil if libpq can't read it.
  func options(_ string: String) -> [String: String]? {
    var message: UnsafeMutablePointer<CChar>?
    let parsed = parseOptions(string, &message)
    // It quotes the string, and so may quote a password.
    if let message { freeMemory(message) }
    guard let parsed else { return nil }
    defer { freeOptions(parsed) }
    // An array of PQconninfoOption: six pointers and an int, ended by a keyword that's null.
    let stride = 7 * MemoryLayout<UnsafeRawPointer>.stride
    var options: [String: String] = [:]
    for index in 0... {
      let option = (parsed + index * stride).assumingMemoryBound(
        to: UnsafePointer<CChar>?.self)
      guard let keyword = option[0] else { return options }
      if let value = option[3] { options[String(cString: keyword)] = String(cString: value) }
    }
    return options
  }
}
