import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Page } from '@playwright/test'
import { openX11Desktop } from '../../agent/platform/linux/x11/desktop.ts'
import { dropFile } from './support/files.ts'
import { expect, running, screenOf, takeControl, test, type RealDesktop } from './support/real-desktop.ts'

test.setTimeout(180_000)

/** Gives the desktop a display on the left and a narrower one on the right. */
async function divide({ display }: RealDesktop) {
  const xrandr = (...words: string[]) => promisify(execFile)('xrandr', ['-display', display.name, ...words])
  await xrandr('--setmonitor', 'left', '500/125x700/175+0+0', 'screen')
  await xrandr('--setmonitor', 'right', '400/100x700/175+500+0', 'none')
}

const sizeOf = (page: Page) =>
  screenOf(page).evaluate((canvas) => [(canvas as HTMLCanvasElement).width, (canvas as HTMLCanvasElement).height])

test(
  'displays together and each in its own window; live screens of selected devices; a screenshot',
  { tag: '@night' },
  async ({ page, context, server, desktop }) => {
    await divide(desktop)
    await takeControl(page, server.url, desktop)
    await expect.poll(() => sizeOf(page)).toEqual([500, 700])
    await page.getByRole('button', { name: 'View', exact: true }).click()
    await page.getByRole('button', { name: 'All in one picture' }).click()
    await expect.poll(() => sizeOf(page)).toEqual([900, 700])
    const opened = context.waitForEvent('page')
    await page.getByRole('button', { name: '2 in its own window' }).click()
    const second = await opened
    await running(second)
    await expect.poll(() => sizeOf(second)).toEqual([400, 700])
    await expect(second.getByRole('toolbar', { name: 'Remote control toolbar' })).toContainText('In control')
    await expect(page.getByRole('toolbar', { name: 'Remote control toolbar' })).toContainText('In control')
    await second.close()

    await page.keyboard.press('Escape')
    await page.getByTestId('remote-screen').click()
    await page.keyboard.press('Control+Alt+Shift+S')
    const saved = page.waitForEvent('download')
    await page.getByRole('dialog').getByRole('link', { name: 'Save' }).click()
    expect((await saved).suggestedFilename()).toMatch(/^.+ \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d\.png$/)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('dialog').getByRole('button', { name: 'Copy' }).click()
    await expect(page.getByRole('dialog').getByRole('button', { name: 'Copied' })).toBeVisible()
    const copied = await page.evaluate(async () => {
      const [item] = await navigator.clipboard.read()
      const { width, height } = await createImageBitmap(await item!.getType('image/png'))
      return [width, height]
    })
    expect(copied).toEqual([900, 700])
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await page.keyboard.press('Control+Alt+Shift+1')
    await expect.poll(() => sizeOf(page)).toEqual([500, 700])

    await page.getByRole('link', { name: 'Devices', exact: true }).first().click()
    await page
      .getByRole('checkbox', { name: /^Select / })
      .last()
      .check()
    await page.getByRole('button', { name: 'Screens' }).click()
    await expect(page.getByRole('img', { name: /^Screen of/ }).filter({ visible: true })).toBeVisible()
    await page.getByRole('link', { name: /^Control / }).click()
    await running(page)
  },
)

test(
  'displays are chosen in a strip like their layout or by the pointer of the device; the player marks them, and sent files',
  { tag: '@night' },
  async ({ page, server, desktop }) => {
    await divide(desktop)
    const person = await openX11Desktop({ display: desktop.display.name })
    person.input.movePointer(100, 100)
    await takeControl(page, server.url, desktop)
    await page.getByRole('button', { name: 'Record', exact: true }).click()
    await expect(page.getByRole('status', { name: 'Recording', exact: true })).toBeVisible()
    await page.getByRole('button', { name: 'View', exact: true }).click()
    const place = async (name: string) => (await page.getByRole('button', { name }).boundingBox())!
    const [left, right] = [await place('Display 1: left'), await place('Display 2: right')]
    expect(right.x).toBeCloseTo(left.x + left.width, 0)
    expect(right.y).toBeCloseTo(left.y, 0)
    expect(right.width / left.width).toBeCloseTo(400 / 500, 1)
    expect(left.height / left.width).toBeCloseTo(700 / 500, 1)
    await page.getByRole('button', { name: 'Display 2: right' }).click()
    await expect.poll(() => sizeOf(page)).toEqual([400, 700])

    await page.getByRole('switch', { name: 'Follow the pointer' }).check()
    person.input.movePointer(200, 100)
    await expect.poll(() => sizeOf(page)).toEqual([500, 700])
    await expect(page.getByRole('button', { name: 'Display 1: left' })).toHaveAttribute('aria-pressed', 'true')
    person.close()

    const name = `farhand-drop-${randomUUID()}.txt`
    await dropFile(screenOf(page), name)
    const landed = page.getByRole('alert').filter({ hasText: /^1 file sent to / })
    await expect(landed).toBeVisible()
    const [, folder] = /^1 file sent to (.+) on /.exec((await landed.textContent())!)!
    rmSync(`${folder}/${name}`)
    await page.getByRole('button', { name: 'Stop recording' }).click()
    await expect(page.getByText('The recording is stored.')).toBeVisible()
    await page.getByRole('link', { name: 'Recordings' }).click()
    await page.getByRole('row').last().click()
    const marks = page.getByRole('region', { name: 'What happened' }).getByRole('listitem')
    await expect(marks).toHaveText([/Display: right$/, /Display: left$/, new RegExp(`Sent file: ${name}$`)])
  },
)
