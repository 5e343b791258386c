/** Writes ASN.1 elements in DER. Each function returns an element. */

/** An element with its content; a constructed element contains several others. */
export function element(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents)
  if (content.length < 0x80) {
    return Buffer.concat([Buffer.from([tag, content.length]), content])
  }
  const hex = content.length.toString(16)
  const length = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')
  return Buffer.concat([Buffer.from([tag, 0x80 + length.length]), length, content])
}

export const sequence = (...elements: readonly Buffer[]): Buffer => element(0x30, ...elements)

export const set = (...elements: readonly Buffer[]): Buffer => element(0x31, ...elements)

/** An element with a tag of its context, that contains others. */
export const tagged = (number: number, ...elements: readonly Buffer[]): Buffer => element(0xa0 + number, ...elements)

/** An element with a tag of its context and plain content. */
export const taggedBytes = (number: number, content: Buffer): Buffer => element(0x80 + number, content)

export const integer = (bytes: Buffer): Buffer => element(0x02, bytes)
export const octets = (content: Buffer): Buffer => element(0x04, content)
export const isTrue: Buffer = element(0x01, Buffer.from([0xff]))

/** A bit string, without the `unused` last bits. */
export const bits = (content: Buffer, unused = 0): Buffer => element(0x03, Buffer.from([unused]), content)

/** An object identifier in dotted notation. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...arcs] = dotted.split('.').map(Number)
  const bytes = [first * 40 + second, ...arcs].flatMap((arc) => {
    const septets = [arc & 0x7f]
    for (let rest = arc >>> 7; rest > 0; rest >>>= 7) {
      septets.unshift(0x80 | (rest & 0x7f))
    }
    return septets
  })
  return element(0x06, Buffer.from(bytes))
}

/** A text: printable if its characters permit that, else UTF-8. */
export const text = (value: string): Buffer =>
  element(/^[\w '()+,./:=?-]*$/.test(value) && !value.includes('_') ? 0x13 : 0x0c, Buffer.from(value))

/** A time in whole seconds: with two digits of the year until 2049, as certificates require. */
export function time(at: number): Buffer {
  const digits = `${new Date(at).toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`
  return digits < '2050' ? element(0x17, Buffer.from(digits.slice(2))) : element(0x18, Buffer.from(digits))
}
