/** Helper for the secure desktop, in Wine, which has no secure desktop and no session of services. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { openX11Desktop } from '../../agent/platform/linux/x11/desktop.ts'
import { bundleAgent } from '../../tools/agents/bundle.ts'
import { startXvfb } from '../../tools/simulate/display.ts'
import { agentFolder, startWindows, stopWine, windowsPath, wineFolder } from '../../tools/wine/wine.ts'
import { XProgram } from '../agent/desktop/x-program.ts'

const program = path.join(agentFolder, 'secure-program.js')

beforeAll(async () => {
  await bundleAgent(agentFolder, path.join(import.meta.dirname, 'secure-program.ts'))
}, 60_000)

test('pictures and input go through the helper, which serves one process alone and never the desktop of the person', async () => {
  const display = await startXvfb('640x480x24')
  onTestFinished(() => display.stop())
  const painter = await XProgram.start(display.name)
  onTestFinished(() => painter.stop())
  const desktop = await openX11Desktop({ display: display.name })
  onTestFinished(() => desktop.close())
  await painter.fill(0, 0, 640, 480, 0x20_a0_40, await painter.openWindow(0, 0, 640, 480))
  const log = path.join(wineFolder, 'secure.log')
  const child = startWindows([path.join(agentFolder, 'node.exe'), windowsPath(program), 'control'], log, display.name)
  onTestFinished(stopWine)
  await once(child, 'exit')
  expect(JSON.parse(readFileSync(log, 'utf8'))).toEqual({
    any: { seen: '20a040', ended: 'status 0' },
    secure: { seen: expect.stringContaining('does not show its secure desktop'), ended: 'status 0' },
    stranger: { seen: expect.stringMatching(/./), ended: expect.not.stringMatching('status 0') },
  })
  // Only the first helper moved the pointer.
  expect(await desktop.pointer()).toEqual({ x: 320, y: 240 })
}, 90_000)
