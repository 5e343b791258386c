import { once } from 'node:events'
import { Socket } from 'node:net'
import { clipboardLimitText, maxClipboardBytes } from '../../../../shared/remote-control/clipboard.ts'
import { UserError } from '../../../base/errors.ts'

/** Time limit for a program that neither sends its text nor takes ours: input can wait for the clipboard (T37). */
const transferMs = 5_000

function expireAfter(pipe: Socket, limitMs: number) {
  const timer = setTimeout(() => pipe.destroy(new UserError('Another program does not pass on its text.')), limitMs)
  pipe.once('close', () => clearTimeout(timer))
}

/** Reads a text from a pipe to its end, and closes the pipe. Rejects with a UserError above the limits. */
export async function readTextPipe(fd: number, limitMs = transferMs): Promise<string> {
  const pipe = new Socket({ fd, readable: true, writable: false })
  expireAfter(pipe, limitMs)
  const chunks: Buffer[] = []
  let byteCount = 0
  for await (const chunk of pipe as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    byteCount += chunk.length
    if (byteCount > maxClipboardBytes) {
      throw new UserError(`The text on the clipboard of the device is ${clipboardLimitText}.`)
    }
  }
  return Buffer.concat(chunks).toString('utf8')
}

/**
 * Writes a text to a pipe, and closes the pipe. Never blocks a thread, unlike files. Rejects when the reader has ended
 * or does not read.
 */
export async function writeTextPipe(fd: number, text: string, limitMs = transferMs): Promise<void> {
  const pipe = new Socket({ fd, readable: false, writable: true })
  expireAfter(pipe, limitMs)
  pipe.end(text)
  await once(pipe, 'close')
}
