import KeyValueObserving
import Synchronization

// The thread sanitizer does not understand Synchronization's Mutex; see ThreadSanitizedMutex.swift.
#if KVO_THREAD_SANITIZER
  package typealias Lock = SpinMutex
#else
  package typealias Lock = Mutex
#endif
