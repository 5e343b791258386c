import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openX11Desktop } from '../../../agent/platform/linux/x11/desktop.ts'
import { Gamma, isBlack } from '../../../agent/platform/linux/x11/gamma.ts'
import { startXvfb, type XDisplay } from '../../../tools/simulate/display.ts'
import { isNight } from '../../support/night.ts'
import { until } from '../../support/until.ts'
import { XProgram } from '../desktop/x-program.ts'

let display: XDisplay
let program: XProgram
let gamma: Gamma
let before: Buffer[]

const ramps = async () => [...(await gamma.read()).values()]
const areBlack = async () => (await ramps()).every(isBlack)
const areAsBefore = async () => Buffer.concat(await ramps()).equals(Buffer.concat(before))

beforeAll(async () => {
  display = await startXvfb()
  program = await XProgram.start(display.name)
  gamma = await Gamma.open(program.connection)
  const [[crtc, ramp]] = [...(await gamma.read())] as [[number, Buffer]]
  // A display that is warmer than usual, as programs for the night make it.
  gamma.write(crtc, ramp.fill(7, 0, 40))
  before = await ramps()
})

afterAll(async () => {
  program?.stop()
  await display?.stop()
})

const open = async () => {
  const desktop = await openX11Desktop({ display: display.name })
  onTestFinished(() => desktop.close())
  return desktop
}

test('screens are black for the person and shown to the viewer, until the last session that wants so has ended', async () => {
  const [one, other] = await Promise.all([open(), open()])
  const window = await program.openWindow(0, 0, 60, 60)
  await program.fill(0, 0, 60, 60, 0xfe_dc_ba, window)
  expect(await Promise.all([one.blankScreens.set(true), other.blankScreens.set(true)])).toEqual([true, true])
  expect(await areBlack()).toBe(true)
  const { picture } = await (await one.openScreen(one.displays()[0]!)).capture(true)
  expect(picture.pixels.readUIntLE(0, 3)).toBe(0xfe_dc_ba)

  expect(await one.blankScreens.set(false)).toBe(false)
  expect(await areBlack()).toBe(true)
  other.close()
  await until(areAsBefore)
})

test.runIf(isNight)(
  'ramps that another program sets meanwhile are black again, and the ones from before come back',
  async () => {
    const desktop = await open()
    await desktop.blankScreens.set(true)
    for (const [crtc, ramp] of await gamma.read()) {
      gamma.write(crtc, ramp.fill(9))
    }
    await until(areBlack)
    await desktop.blankScreens.set(false)
    expect(await areAsBefore()).toBe(true)
  },
)

/** Blanks the screens in a process of its own. */
async function startProgram() {
  const child = spawn(process.execPath, [
    path.join(import.meta.dirname, '../../support/blanking-child.ts'),
    display.name,
  ])
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  await until(() => lines[0] === 'true')
  expect(await areBlack()).toBe(true)
  const [blanking] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').split(' ').map(Number)
  return { child, lines, blanking: blanking! }
}

test('an agent that is killed leaves the screens as they were', async () => {
  const { child } = await startProgram()
  child.kill('SIGKILL')
  await until(areAsBefore)
})

test.runIf(isNight)(
  'where the process that blanks is killed, the screens come back and the session knows',
  async () => {
    const { lines, blanking } = await startProgram()
    process.kill(blanking, 'SIGKILL')
    await until(async () => !(await areBlack()))
    await until(() => lines[1] === 'The process that blanks the screens ended.')
  },
)
