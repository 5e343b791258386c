import { spawn } from 'node:child_process'
import { clipboardLimitText, maxClipboardBytes } from '../../../../shared/remote-control/clipboard.ts'
import { deferred } from '../../../../shared/deferred.ts'
import { UserError } from '../../../base/errors.ts'
import type { Clipboard, Desktop } from '../../desktop/desktop.ts'

/** Prints the label that the person chooses. */
const dialogScript = [
  'on run arguments',
  'display dialog (item 1 of arguments) buttons {item 2 of arguments, "Hide"} default button "Hide"',
  'end run',
].flatMap((line) => ['-e', line])

interface RunOptions {
  /** Text on standard input. */
  input?: string
  signal?: AbortSignal
}

/** Runs a tool; resolves with the tool's output. Rejects with a UserError. */
async function run(file: string, args: readonly string[], { input, signal }: RunOptions = {}): Promise<string> {
  const { promise, resolve, reject } = deferred<string>()
  const tool = spawn(file, args, { stdio: ['pipe', 'pipe', 'ignore'], ...(signal && { signal }) })
  const parts: Buffer[] = []
  let byteCount = 0
  tool.stdout.on('data', (part: Buffer) => {
    parts.push(part)
    byteCount += part.length
    if (byteCount > maxClipboardBytes) {
      reject(new UserError(`The text on the clipboard of the device is ${clipboardLimitText}.`))
      tool.kill()
    }
  })
  tool.stdin.on('error', () => undefined)
  tool.on('error', () => reject(new UserError(`${file} did not start.`)))
  tool.on('close', () => resolve(Buffer.concat(parts).toString()))
  tool.stdin.end(input)
  return promise
}

/** Clipboard of a Mac. No event reports a change by another program. */
export const clipboard: Clipboard = {
  onChange: () => undefined,
  readText: async () => (await run('/usr/bin/pbpaste', [])) || null,
  async writeText(input) {
    if (Buffer.byteLength(input) > maxClipboardBytes) {
      throw new UserError(`This text is ${clipboardLimitText}.`)
    }
    await run('/usr/bin/pbcopy', [], { input })
  },
}

/** Shows a system dialogue, which the person may close without ending the session. */
export const showNotice: Desktop['showNotice'] = (text, label, onEnd) => {
  const closing = new AbortController()
  void run('/usr/bin/osascript', [...dialogScript, text, label], closing).then(
    (answer) => (answer.includes(label) ? onEnd() : undefined),
    () => undefined,
  )
  return { close: () => closing.abort() }
}
