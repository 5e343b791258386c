/** The requester controls a device, the responder is the device. */
export type Role = 'requester' | 'responder'

const roles = new Map<string, Role>([
  ['requester', 'requester'],
  ['0', 'requester'],
  ['responder', 'responder'],
  ['1', 'responder'],
])

/** Parses a role by its name, in any letter case, or by its number. */
export const roleOf = (text: string): Role | undefined => roles.get(text.trim().toLowerCase())
