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

/** A green display for Wine, and what the program of the test prints in a role. */
async function scene() {
  const display = await startXvfb('640x480x24')
  onTestFinished(() => display.stop())
  const painter = await XProgram.start(display.name)
  onTestFinished(() => painter.stop())
  const desktop = await openX11Desktop({ display: display.name })
  onTestFinished(() => desktop.close())
  await painter.fill(0, 0, 640, 480, 0x20_a0_40, await painter.openWindow(0, 0, 640, 480))
  onTestFinished(stopWine)
  const run = async (role: string): Promise<unknown> => {
    const log = path.join(wineFolder, 'secure.log')
    const child = startWindows([path.join(agentFolder, 'node.exe'), windowsPath(program), role], log, display.name)
    await once(child, 'exit')
    return JSON.parse(readFileSync(log, 'utf8'))
  }
  return { desktop, run }
}

test('pictures and input go through the helper, which serves one process alone and never the desktop of the person', async () => {
  const { desktop, run } = await scene()
  expect(await run('control')).toEqual({
    any: { seen: '20a040', ended: 'status 0' },
    secure: { seen: expect.stringContaining('does not show its secure desktop'), ended: 'status 0' },
    stranger: { seen: expect.stringMatching(/./), ended: expect.not.stringMatching('status 0') },
  })
  // Only the first helper moved the pointer.
  expect(await desktop.pointer()).toEqual({ x: 320, y: 240 })
}, 90_000)

test('the sign-in screen is shown and used through the helper alone, and ends when it is gone', async () => {
  const { desktop, run } = await scene()
  expect(await run('sign-in')).toEqual({
    displays: [{ name: 'Display 1', isPrimary: true, bounds: { x: 0, y: 0, width: 640, height: 480 } }],
    seen: '20a040',
    end: 'Somebody signed in, or the sign-in screen was closed. Select the desktop again.',
  })
  expect(await desktop.pointer()).toEqual({ x: 200, y: 100 })
}, 90_000)
