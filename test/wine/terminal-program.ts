/**
 * Runs in Wine: uses a shell in terminals of the agent, and asks for completions if that shell is PowerShell. A batch file
 * starts the shell, because Wine hands it the streams of the agent in the place of its console. Prints the results as one
 * line of JSON.
 */
import { writeFileSync } from 'node:fs'
import { systemClock } from '../../agent/base/clock.ts'
import { PwshCompletions } from '../../agent/capabilities/pwsh-completions.ts'
import { TerminalSession } from '../../agent/capabilities/terminal-session.ts'
import { powershellFile } from '../../agent/platform/windows/shells.ts'

const [, , batchFile = '', shell] = process.argv
const isPowerShell = shell === 'powershell'
const shellLine = isPowerShell ? `${powershellFile} -NoLogo -NoProfile` : 'C:\\windows\\system32\\cmd.exe'
writeFileSync(batchFile, `@${shellLine} <CONIN$ >CONOUT$ 2>CONOUT$\r\n`)

let output = ''
let hasEnded = false
async function until(isSo: () => boolean): Promise<boolean> {
  for (const end = performance.now() + 20_000; !isSo() && performance.now() < end;) {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return isSo()
}

/** Opens a terminal, and waits for the shell's prompt. */
async function open() {
  output = ''
  hasEnded = false
  const session = new TerminalSession(
    'terminal',
    { viewer: 'viewer', shell: batchFile, visitorName: '' },
    {
      clock: systemClock,
      async send(_viewer, piece) {
        output += piece.output
        hasEnded ||= piece.isExit === true
      },
      idleMs: 60_000,
      onEnd: () => {},
    },
  )
  await until(() => /C:\\.*>/.test(output))
  const type = (input: string, more: object = {}) =>
    session.input({ terminalId: 'terminal', viewerConnectionId: 'viewer', input, isRaw: false, ...more })
  return { type, reads: (text: RegExp) => until(() => text.test(output)), ends: () => until(() => hasEnded) }
}

/** Line that prints the user's name, which the line itself does not contain. */
const greet = (word: string) => (isPowerShell ? `"1$($env:USERNAME)2 ${word}"` : `echo 1%USERNAME%2 ${word}`)

const first = await open()
first.type(greet('grüße'))
const isUtf8 = await first.reads(/1\w+2 grüße/)
first.type('', { columns: 100, rows: 30 })
first.type(greet('again'))
const goesOnResized = await first.reads(/1\w+2 again/)
first.type('exit')
const isOver = await first.ends()
const second = await open()
second.type('ping -n 60 127.0.0.1')
const isRunning = await second.reads(/Reply/)
// Wine ends the batch file too, and the shell with it.
second.type('\u0003', { isRaw: true })
const isInterrupted = await second.ends()

async function complete(text: string) {
  const request = { terminalId: 'terminal', lastCompletionInput: text, lastCursorIndex: text.length, forward: null }
  const { value } = await new PwshCompletions(() => true, systemClock, powershellFile).get({
    ...request,
    page: 0,
    pageSize: 1,
  })
  return value?.completionMatches.map(({ completionText }) => completionText)
}
const completions = isPowerShell ? await complete('Get-Serv') : []

process.stdout.write(`${JSON.stringify({ isUtf8, goesOnResized, isOver, isRunning, isInterrupted, completions })}\n`)
process.exit(0)
