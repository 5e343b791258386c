/** Control characters, what file systems reject, and what reads as a path. */
const unsafe = /[\u0000-\u001f\u007f-\u009f<>:"/\\|?*]/g

/** Characters that turn text around, and bytes that are no UTF-8 as agents write them (`agent/capabilities/files/names.ts`). */
const misleading = /[\u200e\u200f\u202a-\u202e\u2066-\u2069\uef80-\uefff]/g
const firstByteEscape = 0xef00

/** Writes misleading characters as `%E2%80%AE` and bytes as `%FF`, so that names stay readable and different. */
export const withoutMisleading = (name: string): string =>
  name.replace(misleading, (character) => {
    const byte = character.charCodeAt(0) - firstByteEscape
    return byte >= 0x80 && byte <= 0xff ? `%${byte.toString(16).toUpperCase()}` : encodeURIComponent(character)
  })

const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i

const maxLength = 200

const lastPart = (path: string) => path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)

/** Keeps the ending, which tells what the file is. */
function shortened(name: string): string {
  if (name.length <= maxLength) {
    return name
  }
  const dot = name.lastIndexOf('.')
  const ending = dot > 0 && name.length - dot <= 20 ? name.slice(dot) : ''
  return name.slice(0, maxLength - ending.length) + ending
}

/** A name from a device, as one that is safe to save a file under anywhere (T18). */
export function safeFileName(name: string): string {
  const plain = shortened(withoutMisleading(lastPart(name).replace(unsafe, '_')).trim())
    .replace(/[. ]+$/, '')
    .toWellFormed()
  return plain === '' ? 'download' : reserved.test(plain) ? `_${plain}` : plain
}

/** The name that an archive is asked for under, with its ending; undefined when no file can have it. */
export function archiveNameOf(wanted: string): string | undefined {
  const name = lastPart(wanted.trim()).trim()
  if (/^\.*$/.test(name) || safeFileName(name) !== name) {
    return undefined
  }
  return name.toLowerCase().endsWith('.zip') ? name : `${name}.zip`
}
