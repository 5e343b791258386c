/** SQL conditions on `audit_events` that an index has, too: without them it is not used. */

/**
 * Failures since an instant, its parameter in ms. Pages that ask every half minute neither read a year, nor miss what
 * other events pushed far down the log.
 */
export const isRecentFailure = `outcome = 'failure' AND at >= ?`

/** Changes of single rights, whose details name the place of the right. */
export const isAssignmentEvent =
  "kind IN ('change.permission-assignment-created', 'change.permission-assignment-updated', 'change.permission-assignment-deleted')"
