import { createHash } from 'node:crypto'
import { deviceFailed } from '../devices/calls.ts'

interface Counted {
  least?: number
  most?: number
  /** Cuts a stream after `most` bytes, because a log grows during the read. */
  isCut?: boolean
  /** The stream ends with the SHA-256 of the bytes before. */
  hasDigest?: boolean
}

const digestBytes = 32

/** Verifies that the stream ends with the digest of the bytes before. The last bytes are held back until then. */
async function* checked(items: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const hash = createHash('sha256')
  let last: Uint8Array | undefined
  let before: Uint8Array | undefined
  for await (const item of items) {
    if (last) {
      hash.update(last)
      if (before) {
        yield before
      }
      before = last
    }
    last = item
  }
  const rest = last?.subarray(0, -digestBytes)
  if (!last || !rest || !hash.update(rest).digest().equals(last.subarray(rest.length))) {
    throw deviceFailed('The file was damaged on its way.')
  }
  if (before) {
    yield before
  }
  if (rest.length > 0) {
    yield rest
  }
}

/**
 * Checks the total size of items: more than `most` bytes, unless cut, and fewer than `least` are failures.
 */
export async function* counted(
  items: AsyncIterable<Uint8Array>,
  { least = 0, most = Infinity, isCut = false, hasDigest = false }: Counted,
): AsyncIterable<Uint8Array> {
  let size = 0
  for await (const chunk of hasDigest ? checked(items) : items) {
    size += chunk.length
    if (size > most && isCut) {
      yield chunk.subarray(0, chunk.length - (size - most))
      return
    }
    if (size > most) {
      throw deviceFailed('The device sent more than it announced.')
    }
    yield chunk
  }
  if (size < least) {
    throw deviceFailed('The device sent less than it announced.')
  }
}
