/** Messages of the Wayland wire protocol: object, size and number, then arguments of whole words of four bytes. */

type Argument<Letter extends string> = Letter extends 's' ? string : Letter extends 'a' ? Buffer : number

/** Arguments of a message, by its letters. */
export type Arguments<Letters extends string> = Letters extends `${infer First}${infer Rest}`
  ? [Argument<First>, ...Arguments<Rest>]
  : []

export type AnyArgument = string | Buffer | number

export const headerBytes = 8
const fixedPoint = 256
const paddedLength = (length: number) => (length + 3) & ~3

function wordsOf(letter: string, value: AnyArgument): Buffer {
  if (typeof value === 'number') {
    const word = Buffer.alloc(4)
    word.writeInt32LE((letter === 'f' ? Math.round(value * fixedPoint) : value) | 0)
    return word
  }
  // Texts end with NUL.
  const content = typeof value === 'string' ? Buffer.from(`${value}\0`) : value
  const words = Buffer.alloc(4 + paddedLength(content.length))
  words.writeUInt32LE(content.length)
  content.copy(words, 4)
  return words
}

/** Encodes a request; descriptors travel beside it. */
export function encode(objectId: number, opcode: number, letters: string, values: readonly AnyArgument[]): Buffer {
  const words = values
    .map((value, index) => ({ letter: letters[index] ?? '', value }))
    .filter(({ letter }) => letter !== 'h')
    .map(({ letter, value }) => wordsOf(letter, value))
  const header = Buffer.alloc(headerBytes)
  const message = Buffer.concat([header, ...words])
  message.writeUInt32LE(objectId, 0)
  message.writeUInt32LE(message.length * 0x1_00_00 + opcode, 4)
  return message
}

/** Decodes the arguments of an event; `takeDescriptor` returns the next received descriptor. */
export function decode(body: Buffer, letters: string, takeDescriptor: () => number): AnyArgument[] {
  let at = 0
  return [...letters].map((letter) => {
    if (letter === 'h') {
      return takeDescriptor()
    }
    if (letter === 's' || letter === 'a') {
      const length = body.readUInt32LE(at)
      const content = body.subarray(at + 4, at + 4 + length)
      at += 4 + paddedLength(length)
      return letter === 'a' ? Buffer.from(content) : content.toString('utf8', 0, Math.max(0, length - 1))
    }
    const signed = letter === 'i' || letter === 'f'
    const value = signed ? body.readInt32LE(at) : body.readUInt32LE(at)
    at += 4
    return letter === 'f' ? value / fixedPoint : value
  })
}
