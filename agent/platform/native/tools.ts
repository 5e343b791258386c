import { spawn } from 'node:child_process'
import { clipboardLimitText, maxClipboardBytes } from '../../../shared/remote-control/clipboard.ts'
import { deferred } from '../../../shared/deferred.ts'
import { UserError } from '../../base/errors.ts'
import type { Clipboard, Desktop } from '../desktop/desktop.ts'

export interface ToolCommand {
  file: string
  arguments: readonly string[]
}

/** System tools for functions that the package lacks. */
export interface Tools {
  readText: ToolCommand
  /** Receives the text on standard input. */
  writeText: ToolCommand
  /** Receives label and text on standard input or as arguments; prints the label when the person chooses it. */
  showNotice: (text: string, label: string) => ToolCommand
}

/** Runs a tool with `input`; resolves with the tool's output. Rejects with a UserError. */
async function run({ file, arguments: list }: ToolCommand, input: string, signal?: AbortSignal): Promise<string> {
  const { promise, resolve, reject } = deferred<string>()
  const tool = spawn(file, list, { stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true, ...(signal && { signal }) })
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

/** Clipboard of this system. No event reports a change by another program. */
export const clipboardOf = ({ readText, writeText }: Tools): Clipboard => ({
  onChange: () => undefined,
  readText: async () => (await run(readText, '')) || null,
  async writeText(text) {
    if (Buffer.byteLength(text) > maxClipboardBytes) {
      throw new UserError(`This text is ${clipboardLimitText}.`)
    }
    await run(writeText, text)
  },
})

/** Shows a system dialogue, which the person may close without ending the session. */
export const noticesOf =
  (tools: Tools): Desktop['showNotice'] =>
  (text, label, onEnd) => {
    const closing = new AbortController()
    void run(tools.showNotice(text, label), `${label}\n${text}`, closing.signal).then(
      (answer) => (answer.includes(label) ? onEnd() : undefined),
      () => undefined,
    )
    return { close: () => closing.abort() }
  }
