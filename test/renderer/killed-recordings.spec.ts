import { XProgram } from '../agent/desktop/x-program.ts'
import { until } from '../support/until.ts'
import { expect, isNear, pixelAt, takeControl, test } from './support/real-desktop.ts'
import { green, numberOf, record, recordedPixel, red } from './support/recorded-picture.ts'

test.setTimeout(180_000)

for (const killed of ['agent', 'page'] as const) {
  test(
    `a recording of a killed ${killed} is complete up to the last picture, and plays`,
    { tag: '@night' },
    async ({ page, context, server, owner, desktop }) => {
      const program = await XProgram.start(desktop.display.name)
      const window = await program.openWindow(100, 100, 300, 200)
      await takeControl(page, server.url, desktop)
      const show = async (color: readonly [number, number, number]) => {
        await program.fill(0, 0, 300, 200, numberOf(color), window)
        await expect.poll(async () => isNear(await pixelAt(page, 250, 200), color)).toBe(true)
      }
      await show(green)
      await record(page, server)
      await show(red)
      if (killed === 'agent') {
        await desktop.device.kill()
      } else {
        const crashed = page.waitForEvent('crash')
        // Never answered: the process that would answer is gone.
        const devTools = await context.newCDPSession(page)
        devTools.send('Page.crash').catch(() => {})
        await crashed
      }
      const { id, state, problem } = await until(async () => {
        const { items } = await owner.applianceRecordings.list({ query: {} })
        return items.find((each) => each.state !== 'running')
      })
      expect({ state, problem }).toEqual({ state: 'complete', problem: null })

      const reader = await context.newPage()
      await reader.goto(`${server.url}/recordings/${id}`)
      const canvas = reader.getByRole('img', { name: 'Recorded screen' })
      await expect.poll(async () => isNear(await recordedPixel(canvas), green)).toBe(true)
      await reader.getByRole('button', { name: 'Play' }).click()
      await expect.poll(async () => isNear(await recordedPixel(canvas), red)).toBe(true)
      program.stop()
    },
  )
}
