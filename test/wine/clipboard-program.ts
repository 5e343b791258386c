/**
 * Runs in Wine: reads the clipboard as the agent does, while the program that promised its text is hung and after it has
 * ended. Prints the results as one line of JSON. As `hung` it is that program.
 */
import { once } from 'node:events'
import { WindowsClipboard } from '../../agent/platform/windows/desktop/clipboard.ts'
import { processWindows } from '../../agent/platform/windows/desktop/process-windows.ts'
import { startHere } from '../../agent/platform/windows/session-program.ts'
import { winuser } from '../../agent/platform/windows/win32/winuser.ts'

const unicodeText = 13

async function promiseText() {
  const { openClipboard, emptyClipboard, setClipboardData, closeClipboard } = await winuser()
  const window = (await processWindows()).createHidden(() => undefined)
  openClipboard(window)
  emptyClipboard()
  setClipboardData(unicodeText, 0)
  closeClipboard()
  process.stdout.write('promised\n')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

const reasonOf = (error: Error) => error.message

async function readBeside() {
  const hung = await startHere([process.execPath, process.argv[1]!, 'hung'])
  await once((await hung.outputs)[0]!, 'data')
  const clipboard = await WindowsClipboard.open()
  let turns = 0
  const counting = setInterval(() => turns++, 10)
  const read = await clipboard.readText().catch(reasonOf)
  const write = await clipboard.writeText('Grüße').catch(reasonOf)
  clearInterval(counting)
  hung.kill()
  await hung.ended
  await clipboard.writeText('Grüße')
  const after = await clipboard.readText()
  process.stdout.write(`${JSON.stringify({ read, write, hasGoneOn: turns > 20, after })}\n`)
}

await (process.argv[2] === 'hung' ? promiseText() : readBeside())
process.exit(0)
