import type { ClientRequest, IncomingMessage } from 'node:http'

/** Reads a whole response; a response longer than `mostBytes` aborts the request with `tooLong`. */
export function wholeAnswer(
  request: ClientRequest,
  answer: IncomingMessage,
  mostBytes: number,
  tooLong: string,
): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = []
  let length = 0
  return new Promise((resolve, reject) => {
    answer.on('data', (chunk: Buffer) => {
      length += chunk.length
      chunks.push(chunk)
      if (length > mostBytes) {
        request.destroy(new Error(tooLong))
      }
    })
    answer.on('error', reject)
    answer.on('end', () => resolve(Buffer.concat(chunks)))
  })
}
