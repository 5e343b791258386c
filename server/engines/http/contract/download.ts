import type { IncomingMessage } from 'node:http'
import { encodeExtended, format } from 'content-disposition'
import type { Download } from '../../../../shared/contract/transfer.ts'
import { freeChunk } from '../../flow/chunk-blocks.ts'
import { ready, type Head, type Response } from '../web/response.ts'

/** Both encodings of the name: old clients read the ASCII name, all others prefer the exact name. */
const dispositionOf = ({ name, disposition }: NonNullable<Download['file']>) =>
  format(
    {
      type: disposition,
      parameters: { filename: name.replace(/[^\x20-\x7e]/g, '_'), 'filename*': encodeExtended(name) },
    },
    { extended: false },
  )

const contentRange = ({ offset, total }: NonNullable<Download['rest']>) => `bytes ${offset}-${total - 1}/${total}`

/** RFC 9530; a structured field has base64 bytes between colons. */
const reprDigest = (sha256: string) => `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`

const headersOf = ({ length, file, etag, rest, sha256 }: Download): string[] => [
  ...(sha256 === undefined ? [] : ['repr-digest', reprDigest(sha256)]),
  ...(etag === undefined ? [] : ['etag', `"${etag}"`, 'accept-ranges', 'bytes']),
  ...(rest ? ['content-range', contentRange(rest)] : []),
  ...(file ? ['content-disposition', dispositionOf(file)] : []),
  ...(length === undefined ? [] : ['content-length', String(length)]),
]

/**
 * Yields the chunks unchanged, but delays the first ones until there are more than `length` bytes or characters, or the
 * end.
 */
async function* delayed(body: Download['body'], length: number): Download['body'] {
  const pending: (Uint8Array | string)[] = []
  let total = 0
  for await (const chunk of body) {
    total += chunk.length
    pending.push(chunk)
    if (total > length) {
      yield* pending.splice(0)
    }
  }
  yield* pending
}

const freeSent = (chunk: Uint8Array | string) => typeof chunk !== 'string' && freeChunk(chunk)

/** Streams a response, with back-pressure from the client. */
export async function sendDownload(
  request: IncomingMessage,
  response: Response,
  download: Download,
  { status, headers }: Head,
): Promise<void> {
  const begin = () => {
    if (!response.headersSent) {
      response.compress()
      response.writeHead(download.rest ? 206 : status, [...headers, ...headersOf(download)])
    }
  }
  if (request.method === 'HEAD') {
    // Ending the response stops the source of the body.
    begin()
    response.end()
    return
  }
  // Before the head is sent, a failing body becomes an error response.
  download.onCut?.(() => response.headersSent && response.destroy())
  for await (const chunk of delayed(download.body, download.heldLength ?? 0)) {
    if (response.destroyed) {
      return
    }
    // The head is sent with the first bytes, so that earlier failures become an error response.
    begin()
    if (!response.write(chunk, (error) => error || !download.isBodyOwned || freeSent(chunk))) {
      await ready(response)
    }
  }
  begin()
  response.end()
}
