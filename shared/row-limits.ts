/**
 * Limits of stored rows, of a tenant where the name says nothing else: lists show all of them, and memory holds most
 * (T20, T44).
 */
export const rowLimits = {
  /** Limit where people register by themselves; administrators create more. */
  'organizations of a server': 10_000,
  /** An installer key, which people at a device may read, registers any number. */
  devices: 100_000,
  customers: 10_000,
  'device groups': 10_000,
  'user groups': 10_000,
  tags: 10_000,
  people: 10_000,
  guests: 10_000,
  links: 10_000,
  'valid installer keys': 10_000,
  'service accounts': 10_000,
  'notes about devices': 20_000,
  'valid keys of a service account': 1_000,
  'valid access tokens of a person': 1_000,
  /** The sign-in that was not used for longest ends where there are as many. */
  'sign-ins of a person': 1_000,
  'scopes of an access token': 1_000,
  'assignments of a principal': 20_000,
  'groups of a device or a user': 1_000,
  'tags of a device': 1_000,
} as const
export type LimitedRows = keyof typeof rowLimits

/** A limit in words, such as "10,000 customers". */
export const mostOf = (rows: LimitedRows): string => `${rowLimits[rows].toLocaleString('en')} ${rows}`
