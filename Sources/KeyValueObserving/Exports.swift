@_exported import KeyValueCore
