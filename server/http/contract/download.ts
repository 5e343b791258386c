import type { IncomingMessage, ServerResponse } from 'node:http'
import { encodeExtended, format } from 'content-disposition'
import type { Download } from '../../../shared/contract/transfer.ts'
import { ready, type Head } from '../web/response.ts'

/** Both forms of the name: old clients read the plain one, all others prefer the exact one. */
const dispositionOf = ({ name, disposition }: NonNullable<Download['file']>) =>
  format(
    {
      type: disposition,
      parameters: { filename: name.replace(/[^\x20-\x7e]/g, '_'), 'filename*': encodeExtended(name) },
    },
    { extended: false },
  )

const contentRange = ({ offset, total }: NonNullable<Download['rest']>) => `bytes ${offset}-${total - 1}/${total}`

/** RFC 9530; a structured field has bytes in base64 between colons. */
const reprDigest = (sha256: string) => `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`

const headersOf = ({ length, file, etag, rest, sha256 }: Download): string[] => [
  ...(sha256 === undefined ? [] : ['repr-digest', reprDigest(sha256)]),
  ...(etag === undefined ? [] : ['etag', `"${etag}"`, 'accept-ranges', 'bytes']),
  ...(rest ? ['content-range', contentRange(rest)] : []),
  ...(file ? ['content-disposition', dispositionOf(file)] : []),
  ...(length === undefined ? [] : ['content-length', String(length)]),
]

/** The same chunks; the first ones not before there are more than `length` bytes or characters, or all of them. */
async function* heldBack(body: Download['body'], length: number): Download['body'] {
  const held: (Uint8Array | string)[] = []
  let total = 0
  for await (const chunk of body) {
    total += chunk.length
    held.push(chunk)
    if (total > length) {
      yield* held.splice(0)
    }
  }
  yield* held
}

/** Sends an answer while it is made, no faster than the client takes it. */
export async function sendDownload(
  request: IncomingMessage,
  response: ServerResponse,
  download: Download,
  { status, headers }: Head,
): Promise<void> {
  const begin = () => {
    if (!response.headersSent) {
      response.writeHead(download.rest ? 206 : status, [...headers, ...headersOf(download)])
    }
  }
  if (request.method === 'HEAD') {
    // The end of the response stops the source of the body.
    begin()
    response.end()
    return
  }
  // Before the head is sent, the body fails with what is answered.
  download.onCut?.(() => response.headersSent && response.destroy())
  for await (const chunk of heldBack(download.body, download.heldLength ?? 0)) {
    if (response.destroyed) {
      return
    }
    // Only with the first bytes: what fails before them is answered as a failure.
    begin()
    if (!response.write(chunk)) {
      await ready(response)
    }
  }
  begin()
  response.end()
}
