import KeyValueCore

// The library's own: the thread sanitizer doesn't understand Synchronization's Mutex on Linux.
package typealias Lock = LockedValue
