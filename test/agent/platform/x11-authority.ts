/** Builds an entry of an Xauthority file: each field has a two-byte big-endian length. */
export function authorityEntry(address: string, cookie: Buffer) {
  const field = (value: Buffer) => Buffer.concat([Buffer.from([value.length >> 8, value.length & 0xff]), value])
  const fields = [Buffer.from(address), Buffer.from(''), Buffer.from('MIT-MAGIC-COOKIE-1'), cookie]
  return Buffer.concat([Buffer.from([1, 0]), ...fields.map(field)])
}
