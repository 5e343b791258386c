const tags = { integer: 0x02, octets: 0x04, constructedOctets: 0x24 }
const constructed = 0x20
const endOfUnknownLength = 0
const mostDepth = 40

interface Element {
  tag: number
  content: Buffer
  /** Where the next one begins. */
  end: number
}

/** One element of ASN.1 (BER); one of unknown length is taken to go on to the end. Undefined for what is none. */
function elementAt(bytes: Buffer, at: number): Element | undefined {
  const [tag, first] = [bytes[at], bytes[at + 1]]
  if (tag === undefined || first === undefined) {
    return undefined
  }
  if (first === 0x80) {
    return { tag, content: bytes.subarray(at + 2), end: bytes.length }
  }
  const more = first < 0x80 ? 0 : first - 0x80
  if (more > 4 || at + 2 + more > bytes.length) {
    return undefined
  }
  const length = more === 0 ? first : bytes.readUIntBE(at + 2, more)
  const start = at + 2 + more
  return { tag, content: bytes.subarray(start, start + length), end: start + length }
}

function elementsOf(bytes: Buffer): Element[] {
  const found: Element[] = []
  for (let next = elementAt(bytes, 0); next; next = elementAt(bytes, next.end)) {
    found.push(next)
  }
  return found
}

/** What a PFX file or an encrypted key asks for: each number that follows a salt says how often to hash. */
function askedIn(bytes: Buffer, depth: number): number {
  let asked = 0
  let before: number | undefined
  for (const { tag, content } of depth > mostDepth ? [] : elementsOf(bytes)) {
    if (tag === tags.integer && (before === tags.octets || before === tags.constructedOctets)) {
      asked += Number(`0x${content.toString('hex') || '0'}`)
    }
    if (tag === tags.constructedOctets) {
      const parts = elementsOf(content).filter((part) => part.tag === tags.octets)
      asked += askedIn(Buffer.concat(parts.map((part) => part.content)), depth + 1)
    }
    if (tag === tags.octets || (tag & constructed) !== 0) {
      asked += askedIn(content, depth + 1)
    }
    before = tag === endOfUnknownLength ? before : tag
  }
  return asked
}

const encryptedKeys = /-----BEGIN ENCRYPTED PRIVATE KEY-----([^-]*)-----END/g

/** How often a password is to be hashed in all to open a file: PFX, or PEM with encrypted keys. */
export const askedHashes = (file: Buffer, isPem: boolean): number =>
  isPem
    ? [...file.toString('latin1').matchAll(encryptedKeys)].reduce(
        (sum, [, text = '']) => sum + askedIn(Buffer.from(text, 'base64'), 0),
        0,
      )
    : askedIn(file, 0)
