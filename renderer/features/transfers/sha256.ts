/**
 * SHA-256 (FIPS 180-4) in chunks, for files of any size. Web Crypto needs the whole file in memory, and does not exist
 * on plain http addresses of the LAN.
 */

/** First 32 bits of the fractional parts of the roots of the first primes. */
const rootBits = (exponent: number) => (prime: number) => {
  const root = prime ** exponent
  return Math.floor((root - Math.floor(root)) * 2 ** 32)
}
const primes = Array.from({ length: 310 }, (_, index) => index + 2).filter((number) =>
  Array.from({ length: Math.floor(Math.sqrt(number)) - 1 }, (_, index) => index + 2).every((by) => number % by !== 0),
)
const constants = new Uint32Array(primes.slice(0, 64).map(rootBits(1 / 3)))
const blockBytes = 64

export class Sha256 {
  readonly #state = new Uint32Array(primes.slice(0, 8).map(rootBits(1 / 2)))
  readonly #words = new Uint32Array(64)
  readonly #block = new Uint8Array(blockBytes)
  #held = 0
  #length = 0

  update(bytes: Uint8Array) {
    this.#length += bytes.length
    let at = 0
    while (at < bytes.length) {
      if (this.#held === 0 && bytes.length - at >= blockBytes) {
        this.#processBlock(bytes, at)
        at += blockBytes
      } else {
        const part = bytes.subarray(at, at + blockBytes - this.#held)
        this.#block.set(part, this.#held)
        this.#held += part.length
        at += part.length
        if (this.#held === blockBytes) {
          this.#processBlock(this.#block, 0)
          this.#held = 0
        }
      }
    }
  }

  /** Returns the hash in hex. Nothing can be added afterwards. */
  digest(): string {
    const bits = this.#length * 8
    const rest = this.#held < blockBytes - 8 ? blockBytes - this.#held : 2 * blockBytes - this.#held
    const end = new Uint8Array(rest)
    end[0] = 0x80
    const view = new DataView(end.buffer)
    view.setUint32(rest - 8, Math.floor(bits / 2 ** 32))
    view.setUint32(rest - 4, bits >>> 0)
    this.update(end)
    return [...this.#state].map((word) => word.toString(16).padStart(8, '0')).join('')
  }

  #processBlock(bytes: Uint8Array, at: number) {
    const words = this.#words
    for (let index = 0; index < 16; index++) {
      const from = at + index * 4
      words[index] = (bytes[from]! << 24) | (bytes[from + 1]! << 16) | (bytes[from + 2]! << 8) | bytes[from + 3]!
    }
    for (let index = 16; index < 64; index++) {
      const early = words[index - 15]!
      const late = words[index - 2]!
      const small = ((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14)) ^ (early >>> 3)
      const large = ((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13)) ^ (late >>> 10)
      words[index] = (words[index - 16]! + small + words[index - 7]! + large) | 0
    }
    const state = this.#state
    let [a, b, c, d] = [state[0]!, state[1]!, state[2]!, state[3]!]
    let [e, f, g, h] = [state[4]!, state[5]!, state[6]!, state[7]!]
    for (let index = 0; index < 64; index++) {
      const large = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
      const first = (h + large + ((e & f) ^ (~e & g)) + constants[index]! + words[index]!) | 0
      const small = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
      const second = (small + ((a & b) ^ (a & c) ^ (b & c))) | 0
      h = g
      g = f
      f = e
      e = (d + first) | 0
      d = c
      c = b
      b = a
      a = (first + second) | 0
    }
    ;[a, b, c, d, e, f, g, h].forEach((word, index) => (state[index] = state[index]! + word))
  }
}

const pieceBytes = 4 * 1024 * 1024

/** Returns the hash of a file in hex. Throws when the file cannot be read any more, or the signal aborts. */
export async function sha256Of(file: Blob, onProgress: (bytes: number) => void, signal?: AbortSignal): Promise<string> {
  const hash = new Sha256()
  for (let at = 0; at < file.size; at += pieceBytes) {
    signal?.throwIfAborted()
    const piece = await file.slice(at, at + pieceBytes).arrayBuffer()
    hash.update(new Uint8Array(piece))
    onProgress(at + piece.byteLength)
  }
  return hash.digest()
}
