import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { deviceFileSystem } from '../../../shared/api/device-file-system.ts'
import { buildUrl } from '../../../shared/contract/client.ts'
import type { Entry, FilePlace } from '../../api/files.ts'
import { openBody } from '../../api/http.ts'
import { pictureSize } from '../../../shared/picture-size.ts'

/** Largest text that is shown and edited; of a larger one the end is shown. */
export const mostTextBytes = 1024 * 1024
/** Largest picture and PDF. */
const mostWholeBytes = 32 * 1024 * 1024
/** Pixels of a picture that is shown: a few bytes can stand for more than a tab has memory for (T35). */
const mostPixels = 64_000_000

/** Content of a file, as far as this page shows it; bytes of a device are untrusted (T18). */
export type FileContent =
  | { kind: 'picture'; blob: Blob; width: number; height: number }
  | { kind: 'text'; text: string; sha256: string; lineEnd: '\n' | '\r\n'; canEdit: boolean }
  | { kind: 'pdf'; bytes: Uint8Array<ArrayBuffer> }
  /** A text, or something else, that is too large: only its end can be followed. */
  | { kind: 'large' }
  | { kind: 'other' }

const isShownWhole = (name: string) => /\.(jpe?g|png|webp|pdf)$/i.test(name)

const pdfMark = [0x25, 0x50, 0x44, 0x46, 0x2d]

/** Reads at most `most` bytes; undefined if there are more. */
async function readAtMost(url: string, most: number, signal: AbortSignal) {
  const stop = new AbortController()
  const body = await openBody(url, AbortSignal.any([signal, stop.signal]))
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for (let reader = body.getReader(), read = await reader.read(); !read.done; read = await reader.read()) {
    size += read.value.length
    if (size > most) {
      stop.abort()
      return undefined
    }
    pieces.push(new Uint8Array(read.value))
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer())
}

/** Decodes UTF-8, or UTF-16 with a byte order mark; undefined for anything else. */
function decoded(bytes: Uint8Array): { text: string; isUtf8: boolean } | undefined {
  const mark =
    bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8'
  try {
    const text = new TextDecoder(mark, { fatal: true, ignoreBOM: mark === 'utf-8' }).decode(bytes)
    return text.includes('\0') ? undefined : { text, isUtf8: mark === 'utf-8' }
  } catch {
    return undefined
  }
}

function contentOf(bytes: Uint8Array<ArrayBuffer>): FileContent {
  const size = pictureSize(bytes)
  if (size && size.width * size.height <= mostPixels) {
    // The type comes from the content, and only these three are ever shown.
    return { kind: 'picture', blob: new Blob([bytes], { type: size.type }), width: size.width, height: size.height }
  }
  if (pdfMark.every((byte, at) => bytes[at] === byte)) {
    return { kind: 'pdf', bytes }
  }
  const found = bytes.length <= mostTextBytes ? decoded(bytes) : undefined
  if (!found) {
    return { kind: bytes.length > mostTextBytes ? 'large' : 'other' }
  }
  const { text, isUtf8 } = found
  const returns = text.match(/\r/g)?.length ?? 0
  const windowsEnds = text.match(/\r\n/g)?.length ?? 0
  const ends = text.match(/\n/g)?.length ?? 0
  // A field of the browser knows one kind of line end: a mixed file would be changed everywhere.
  const isUniform = returns === windowsEnds && (windowsEnds === 0 || windowsEnds === ends)
  return {
    kind: 'text',
    text,
    sha256: bytesToHex(sha256(bytes)),
    lineEnd: windowsEnds > 0 ? '\r\n' : '\n',
    canEdit: isUtf8 && isUniform,
  }
}

/** Loads a file as far as it can be shown. */
export async function loadContent(place: FilePlace, entry: Entry, signal: AbortSignal): Promise<FileContent> {
  const isWhole = isShownWhole(entry.name)
  if (entry.size > (isWhole ? mostWholeBytes : mostTextBytes)) {
    return { kind: isWhole ? 'other' : 'large' }
  }
  const { deviceId, tenantId } = place
  const url = buildUrl(deviceFileSystem.routes.download.path, {
    params: { deviceId },
    query: { filePath: entry.fullPath },
    tenantId,
  })
  const bytes = await readAtMost(url, isWhole ? mostWholeBytes : mostTextBytes, signal)
  return bytes ? contentOf(bytes) : { kind: 'large' }
}
