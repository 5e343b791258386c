/** Control characters, characters that file systems reject, and path separators. */
const unsafe = /[\u0000-\u001f\u007f-\u009f<>:"/\\|?*]/g

/**
 * Bidirectional control characters, and bytes of invalid UTF-8 as agents encode them
 * (`agent/capabilities/files/names.ts`).
 */
const misleading = /[\p{Bidi_Control}\uef80-\uefff]/gu
const firstByteEscape = 0xef00

/** Escapes misleading characters as `%E2%80%AE` and bytes as `%FF`, so that names stay readable and distinct. */
export const withoutMisleading = (name: string): string =>
  name.replace(misleading, (character) => {
    const byte = character.charCodeAt(0) - firstByteEscape
    return byte >= 0x80 && byte <= 0xff ? `%${byte.toString(16).toUpperCase()}` : encodeURIComponent(character)
  })

const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i

const maxLength = 200

const lastPart = (path: string) => path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)

/** Keeps the extension, which identifies the file type. */
function shortened(name: string): string {
  if (name.length <= maxLength) {
    return name
  }
  const dot = name.lastIndexOf('.')
  const ending = dot > 0 && name.length - dot <= 20 ? name.slice(dot) : ''
  return name.slice(0, maxLength - ending.length) + ending
}

/** Makes a name from a device safe for saving a file anywhere (T18). */
export function safeFileName(name: string): string {
  const plain = shortened(withoutMisleading(lastPart(name).replace(unsafe, '_')).trim())
    .replace(/[. ]+$/, '')
    .toWellFormed()
  return plain === '' ? 'download' : reserved.test(plain) ? `_${plain}` : plain
}

/** Requested name of an archive, with its extension; undefined for an invalid file name. */
export function archiveNameOf(wanted: string): string | undefined {
  const name = lastPart(wanted.trim()).trim()
  if (name.length > maxLength || /^\.*$/.test(name) || safeFileName(name) !== name) {
    return undefined
  }
  return name.toLowerCase().endsWith('.zip') ? name : `${name}.zip`
}
