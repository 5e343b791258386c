/** Clipboard of Windows whose program is hung, in Wine. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { bundleAgent } from '../../tools/agents/bundle.ts'
import { startXvfb } from '../../tools/simulate/display.ts'
import { agentFolder, startWindows, stopWine, windowsPath, wineFolder } from '../../tools/wine/wine.ts'

const program = path.join(agentFolder, 'clipboard-program.js')

beforeAll(async () => {
  await bundleAgent(agentFolder, path.join(import.meta.dirname, 'clipboard-program.ts'))
}, 60_000)

test('a hung program that promised text is reported within its time, and the agent goes on meanwhile', async () => {
  const display = await startXvfb()
  onTestFinished(() => display.stop())
  const log = path.join(wineFolder, 'clipboard.log')
  const child = startWindows([path.join(agentFolder, 'node.exe'), windowsPath(program)], log, display.name)
  onTestFinished(stopWine)
  await once(child, 'exit')
  const hung = 'The program that owns the clipboard of the device does not answer.'
  expect(JSON.parse(readFileSync(log, 'utf8'))).toEqual({ read: hung, write: hung, hasGoneOn: true, after: 'Grüße' })
}, 60_000)
