// An expectation names paths, so a test needs them, too.
@_exported import KeyValueCore
