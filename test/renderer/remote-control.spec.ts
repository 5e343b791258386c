import { expectAccessible } from './support/fixtures.ts'
import { XProgram } from '../agent/desktop/x-program.ts'
import { openTerminal } from '../agent/desktop/terminal-window.ts'
import { cardOf, expect, isNear, openCards, pixelAt, running, screenOf, takeControl, test } from './support/real-desktop.ts'

test.setTimeout(180_000)

test('a desktop is drawn with its colours, follows pointer and keyboard, and types what is typed', async ({
  page,
  server,
  desktop,
}) => {
  await openCards(page, server.url, desktop)
  const card = cardOf(page, desktop)
  await expect(card.getByRole('img', { name: /shows now/ })).toBeVisible()
  await expectAccessible(page)

  const program = await XProgram.start(desktop.display.name)
  const window = await program.openWindow(100, 100, 300, 200)
  await program.fill(0, 0, 300, 200, 0x20a040, window)
  await card.getByRole('button', { name: 'Control', exact: true }).click()
  await running(page)
  await expect.poll(async () => isNear(await pixelAt(page, 250, 200), [0x20, 0xa0, 0x40])).toBe(true)
  await program.fill(0, 0, 300, 200, 0xc02040, window)
  await expect.poll(async () => isNear(await pixelAt(page, 250, 200), [0xc0, 0x20, 0x40])).toBe(true)
  await expectAccessible(page)

  const box = (await screenOf(page).boundingBox())!
  await program.takeEvents()
  await page.mouse.click(box.x + (250 / 900) * box.width, box.y + (200 / 700) * box.height, { button: 'right' })
  await expect.poll(() => program.events.find(({ name }) => name === 'ButtonRelease')).toBeTruthy()
  const press = program.events.find(({ name }) => name === 'ButtonPress')!
  expect(press.keycode).toBe(3)
  expect(Math.abs(press.x! - 150)).toBeLessThan(3)
  expect(Math.abs(press.y! - 100)).toBeLessThan(3)
  program.stop()

  const terminal = await openTerminal(desktop.display)
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  await page.mouse.down()
  await page.mouse.up()
  await page.keyboard.type('grüße €@\\~ Ab')
  await page.keyboard.press('Enter')
  expect(await terminal.typedUntil('\r')).toBe('grüße €@\\~ Ab\r')
  await page.keyboard.press('Control+c')
  expect(await terminal.typedUntil('\u0003')).toBe('\u0003')
  await terminal.close()
})
