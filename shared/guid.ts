/** Matches a GUID with hyphens, in any letter case. */
export const guidPattern = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Makes a GUID from 16 random bytes: `crypto.randomUUID` is missing on a plain http address of the LAN. */
export function guidFrom(random: Uint8Array): string {
  const hex = Array.from(random, (byte, at) => {
    const marked = at === 6 ? (byte & 0x0f) | 0x40 : at === 8 ? (byte & 0x3f) | 0x80 : byte
    return marked.toString(16).padStart(2, '0')
  }).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
}
