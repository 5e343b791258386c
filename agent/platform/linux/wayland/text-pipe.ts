import { once } from 'node:events'
import { Socket } from 'node:net'
import { clipboardLimitText, maxClipboardBytes } from '../../../../shared/remote-control/clipboard.ts'
import { UserError } from '../../../base/errors.ts'

/** Time limit for a program that neither sends its content nor takes ours: input can wait for the clipboard (T37). */
const transferMs = 5_000

function expireAfter(pipe: Socket, limitMs: number) {
  const timer = setTimeout(
    () => pipe.destroy(new UserError('Another program does not pass on what it copied.')),
    limitMs,
  )
  pipe.once('close', () => clearTimeout(timer))
}

/**
 * Reads a content from a pipe to its end, and closes the pipe. Rejects with a UserError above the limits; `name` is that
 * of the content in its sentence.
 */
export async function readPipe(fd: number, name = 'text', limitMs = transferMs): Promise<Buffer> {
  const pipe = new Socket({ fd, readable: true, writable: false })
  expireAfter(pipe, limitMs)
  const chunks: Buffer[] = []
  let byteCount = 0
  for await (const chunk of pipe as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    byteCount += chunk.length
    if (byteCount > maxClipboardBytes) {
      throw new UserError(`The ${name} on the clipboard of the device is ${clipboardLimitText}.`)
    }
  }
  return Buffer.concat(chunks)
}

/**
 * Writes a content to a pipe, and closes the pipe. Never blocks a thread, unlike files. Rejects when the reader has ended
 * or does not read.
 */
export async function writePipe(fd: number, content: string | Buffer, limitMs = transferMs): Promise<void> {
  const pipe = new Socket({ fd, readable: false, writable: true })
  expireAfter(pipe, limitMs)
  pipe.end(content)
  await once(pipe, 'close')
}
