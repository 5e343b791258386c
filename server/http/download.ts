import type { IncomingMessage, ServerResponse } from 'node:http'
import { encodeExtended, format } from 'content-disposition'
import type { Download } from '../../shared/contract/transfer.ts'

/** Both forms of the name: old clients read the plain one, all others prefer the exact one. */
const dispositionOf = ({ name, disposition }: NonNullable<Download['file']>) =>
  format(
    {
      type: disposition,
      parameters: { filename: name.replace(/[^\x20-\x7e]/g, '_'), 'filename*': encodeExtended(name) },
    },
    { extended: false },
  )

function setHeaders(response: ServerResponse, { length, file }: Download, mediaType: string | undefined) {
  response.setHeader('content-type', mediaType ?? 'application/json; charset=utf-8')
  if (mediaType !== undefined) {
    // Bytes go as they are: compressing would hold them back, and hide their number.
    response.setHeader('cache-control', 'no-store, no-transform')
  }
  if (file) {
    response.setHeader('content-disposition', dispositionOf(file))
  }
  if (length !== undefined) {
    response.setHeader('content-length', length)
  }
}

/** Sends an answer while it is made, no faster than the client takes it. JSON where no other media type is given. */
export async function sendDownload(
  request: IncomingMessage,
  response: ServerResponse,
  download: Download,
  mediaType?: string,
): Promise<void> {
  if (request.method === 'HEAD') {
    setHeaders(response, download, mediaType)
    // The end of the response stops whoever makes the body.
    response.end()
    return
  }
  let wake = () => {}
  const onReady = () => wake()
  response.on('drain', onReady).on('close', onReady)
  download.onCut?.(() => response.destroy())
  // Only with the first bytes: what fails before them is answered as a failure.
  let begin = () => setHeaders(response, download, mediaType)
  for await (const chunk of download.body) {
    if (response.destroyed) {
      return
    }
    begin()
    begin = () => {}
    if (!response.write(chunk)) {
      await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  begin()
  response.end()
}
