/** Windows that blank the screens, in Wine with two displays. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { openX11Desktop } from '../../agent/platform/linux/x11/desktop.ts'
import { bundleAgent } from '../../tools/agents/bundle.ts'
import { agentFolder, startWindows, stopWine, windowsPath, wineFolder } from '../../tools/wine/wine.ts'
import { endProcess } from '../agent/desktop/desktop-scene.ts'
import { XProgram } from '../agent/desktop/x-program.ts'
import { until } from '../support/until.ts'
import { primary, second, startTwoDisplays } from './two-displays.ts'

const program = path.join(agentFolder, 'blank-program.js')

beforeAll(async () => {
  await bundleAgent(agentFolder, path.join(import.meta.dirname, 'blank-program.ts'))
}, 60_000)

test('black windows cover every display, and are gone as soon as their process is killed', async () => {
  const display = await startTwoDisplays()
  onTestFinished(() => display.stop())
  const painter = await XProgram.start(display.name)
  onTestFinished(() => painter.stop())
  const desktop = await openX11Desktop({ display: display.name })
  onTestFinished(() => desktop.close())
  const width = primary.x + primary.width
  const window = await painter.openWindow(0, 0, width, primary.height)
  const paint = () => painter.fill(0, 0, width, primary.height, 0x20_a0_40, window)
  await paint()
  /** Colors in the middle of both displays. */
  const colors = () =>
    Promise.all(
      [second, primary].map(async (place) => {
        const shown = desktop.displays().find(({ bounds }) => bounds.x === place.x)!
        const screen = await desktop.openScreen(shown)
        const { picture } = await screen.capture(true)
        screen.close()
        return picture.pixels.readUIntLE((place.height / 2) * picture.stride + place.width * 2, 3)
      }),
    )
  expect(await colors()).toEqual([0x20_a0_40, 0x20_a0_40])
  const log = path.join(wineFolder, 'blank.log')
  const child = startWindows([path.join(agentFolder, 'node.exe'), windowsPath(program)], log, display.name)
  onTestFinished(stopWine)
  await until(async () => String(await colors()) === '0,0')
  // Wine leaves no window out of pictures, and the agent does not claim that the screens are blank.
  expect(JSON.parse(readFileSync(log, 'utf8'))).toEqual({
    problem: expect.stringContaining('Windows does not leave a blank window out of the picture'),
    displays: 2,
  })
  child.kill('SIGKILL')
  await endProcess(child)
  await until(async () => {
    await paint()
    return String(await colors()) === String([0x20_a0_40, 0x20_a0_40])
  })
}, 60_000)
