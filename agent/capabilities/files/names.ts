import { isUtf8 } from 'node:buffer'
import { isAbsolute, normalize } from 'node:path'
import { platform } from '../../platform/index.ts'

/**
 * File names on Linux are bytes, on the wire they are text. A byte that is not UTF-8 is encoded as a private-use
 * character, U+EF80 to U+EFFF, and so are the bytes of such a character in a real name. The encoding is therefore
 * unique and reversible.
 */
const firstEscape = 0xef00
const escaped = /[\uef80-\uefff]/
const escapedRuns = /[\uef80-\uefff]+/g

const escape = (byte: number) => String.fromCharCode(firstEscape + byte)

const lengthOfCharacter = (lead: number) => (lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4)

export function textOfName(name: Uint8Array): string {
  const bytes = Buffer.from(name.buffer, name.byteOffset, name.length)
  const whole = isUtf8(bytes) ? bytes.toString() : undefined
  if (whole !== undefined && !escaped.test(whole)) {
    return whole
  }
  let text = ''
  for (let at = 0; at < bytes.length;) {
    const character = bytes.subarray(at, at + lengthOfCharacter(bytes[at]!))
    const read = isUtf8(character) ? character.toString() : undefined
    if (read === undefined || escaped.test(read)) {
      text += escape(bytes[at]!)
      at++
    } else {
      text += read
      at += character.length
    }
  }
  return text
}

/** Encodes a path for the file system. */
export function systemPath(path: string): string | Buffer {
  if (!platform.files.namesAreBytes || !escaped.test(path)) {
    return path
  }
  const plain = path.split(escapedRuns)
  const runs = path.match(escapedRuns) ?? []
  const parts = plain.flatMap((text, index) => [
    Buffer.from(text),
    Buffer.from([...(runs[index] ?? '')].map((character) => character.charCodeAt(0) - firstEscape)),
  ])
  return Buffer.concat(parts)
}

const longestNameBytes = 255

/** Returns whether a new file or directory can have this name; paths are rejected. */
export const isPlainName = (name: string): boolean =>
  !/^\.{0,2}$/.test(name) &&
  !/[\0/]/.test(name) &&
  Buffer.byteLength(systemPath(name)) <= longestNameBytes &&
  platform.files.canBeName(name)

/** Normalizes an absolute path; undefined for a relative path or a device of Windows. */
export const absolutePath = (path: string): string | undefined =>
  isAbsolute(path) && !platform.files.isDevicePath(path) && !path.includes('\0') ? normalize(path) : undefined
