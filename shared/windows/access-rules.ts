/** Binary forms of Windows' security: identifiers and access lists. */

/** Reads an identifier: version, number of parts, authority (big endian), parts. */
export function readSid(bytes: Buffer): string {
  const count = bytes[1] ?? 0
  const parts = Array.from({ length: count }, (_, at) => bytes.readUInt32LE(8 + 4 * at))
  return ['S', bytes[0], bytes.readUIntBE(2, 6), ...parts].join('-')
}

/** Length of an identifier that begins with these 8 bytes. */
export const sidBytes = (start: Buffer): number => 8 + 4 * (start[1] ?? 0)
export const sidStartBytes = 8

/** Length of an access list that begins with these 8 bytes. */
export const aclBytes = (start: Buffer): number => start.readUInt16LE(2)
export const aclStartBytes = 8

export interface AccessRule {
  /** Undefined for a kind of rule that files do not have. */
  sid: string | undefined
  mask: number
}

/** `ACCESS_ALLOWED_ACE_TYPE` and its form with a condition. */
const allowing = [0, 9]
/** Denying and auditing rules, also with conditions or objects. */
const withoutGrant = [1, 2, 3, 6, 7, 8, 10, 12, 13, 14, 15, 16, 17]
const inheritOnly = 0x8

/** Returns the rules of an access list that grant something on the object itself. */
export function grantsIn(acl: Buffer): AccessRule[] {
  const found: AccessRule[] = []
  let at = aclStartBytes
  for (let left = acl.readUInt16LE(4); left > 0; left--) {
    const [type = 0, flags = 0] = acl.subarray(at, at + 2)
    if ((flags & inheritOnly) === 0 && !withoutGrant.includes(type)) {
      const sid = allowing.includes(type) ? readSid(acl.subarray(at + 8)) : undefined
      found.push({ sid, mask: acl.readUInt32LE(at + 4) })
    }
    at += acl.readUInt16LE(at + 2)
  }
  return found
}
