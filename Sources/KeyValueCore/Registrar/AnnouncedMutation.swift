/// A mutation that its observers have been notified of in advance.
protocol AnnouncedMutation: AnyObject, Sendable {}
