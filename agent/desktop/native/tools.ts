import { spawn } from 'node:child_process'
import { deferred } from '../../../shared/deferred.ts'
import { UserError } from '../../base/errors.ts'
import type { Clipboard, Notice } from '../desktop.ts'

const maxTextBytes = 4 * 1024 * 1024

interface Command {
  file: string
  arguments: readonly string[]
}

/** System tools for functions that the package lacks. */
interface Tools {
  readText: Command
  /** Receives the text on standard input. */
  writeText: Command
  /** Receives label and text on standard input or as arguments; prints the label when the person chooses it. */
  showNotice: (text: string, label: string) => Command
}

const powershell = (script: string): Command => ({
  file: 'powershell.exe',
  arguments: ['-NoProfile', '-NonInteractive', '-Sta', '-Command', script],
})

const utf8 = '[Console]::InputEncoding = [Console]::OutputEncoding = [Text.Encoding]::UTF8;'

const toolsOf: Partial<Record<NodeJS.Platform, Tools>> = {
  darwin: {
    readText: { file: '/usr/bin/pbpaste', arguments: [] },
    writeText: { file: '/usr/bin/pbcopy', arguments: [] },
    showNotice: (text, label) => ({
      file: '/usr/bin/osascript',
      arguments: [
        '-e',
        'on run arguments',
        '-e',
        'display dialog (item 1 of arguments) buttons {item 2 of arguments, "Hide"} default button "Hide"',
        '-e',
        'end run',
        text,
        label,
      ],
    }),
  },
  win32: {
    readText: powershell(`${utf8} [Console]::Write((Get-Clipboard -Raw))`),
    writeText: powershell(`${utf8} Set-Clipboard -Value ([Console]::In.ReadToEnd())`),
    // The text is passed as data and cannot become part of the script.
    showNotice: () =>
      powershell(
        `${utf8} Add-Type -AssemblyName System.Windows.Forms;` +
          '$form = New-Object System.Windows.Forms.Form -Property @{ TopMost = $true };' +
          '$label, $text = [Console]::In.ReadToEnd() -split "`n", 2;' +
          '$answer = [System.Windows.Forms.MessageBox]::Show($form, "$text`n`n$label" + "?", "Remote control", "YesNo", "Information", "Button2");' +
          'if ($answer -eq "Yes") { [Console]::Write($label) }',
      ),
  },
}

/** Runs a tool with `input`; resolves with the tool's output. Rejects with a UserError. */
async function run({ file, arguments: list }: Command, input: string, signal?: AbortSignal): Promise<string> {
  const { promise, resolve, reject } = deferred<string>()
  const tool = spawn(file, list, { stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true, ...(signal && { signal }) })
  const parts: Buffer[] = []
  let byteCount = 0
  tool.stdout.on('data', (part: Buffer) => {
    parts.push(part)
    byteCount += part.length
    if (byteCount > maxTextBytes) {
      reject(new UserError('The text on the clipboard of the device is longer than the 4 MiB that are passed on.'))
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
export function openClipboard(): Clipboard {
  const tools = toolsOf[process.platform]
  return {
    onChange: () => undefined,
    async readText() {
      return tools ? (await run(tools.readText, '')) || null : null
    },
    async writeText(text) {
      if (Buffer.byteLength(text) > maxTextBytes) {
        throw new UserError('This text is longer than the 4 MiB that are passed on.')
      }
      if (tools) {
        await run(tools.writeText, text)
      }
    },
  }
}

/** Shows a system dialogue, which the person may close without ending the session. */
export function showNotice(text: string, label: string, onEnd: () => void): Notice {
  const closing = new AbortController()
  const tool = toolsOf[process.platform]?.showNotice(text, label)
  if (tool) {
    void run(tool, `${label}\n${text}`, closing.signal).then(
      (answer) => (answer.includes(label) ? onEnd() : undefined),
      () => undefined,
    )
  }
  return { close: () => closing.abort() }
}
