import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import { addUser } from '../support/people.ts'
import { expectAccessible, usePage } from './support/fixtures.ts'
import { XProgram } from '../agent/desktop/x-program.ts'
import { openTerminal } from '../agent/desktop/terminal-window.ts'
import {
  cardOf,
  digestOfDisplay,
  digestOfPicture,
  expect,
  isNear,
  openCards,
  pixelAt,
  running,
  screenOf,
  takeControl,
  test,
} from './support/real-desktop.ts'

test.setTimeout(180_000)

test(
  'a desktop is drawn in its colors, follows the pointer and receives the typed text',
  { tag: '@night' },
  async ({ page, server, desktop }) => {
    await openCards(page, server.url, desktop)
    const card = cardOf(page, desktop)
    await expect(card.getByRole('img', { name: /^Preview of/ })).toBeVisible()
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
    // Text at rest has every pixel of the display.
    await expect.poll(async () => (await digestOfPicture(page)) === (await digestOfDisplay(desktop.display))).toBe(true)
    await page.keyboard.press('Control+c')
    expect(await terminal.typedUntil('\u0003')).toBe('\u0003')
    await terminal.close()
  },
)

test(
  'a session returns after restarts of agent and server, but not after somebody ended it',
  { tag: '@night' },
  async ({ page, server, owner, desktop }) => {
    const program = await XProgram.start(desktop.display.name)
    const window = await program.openWindow(100, 100, 300, 200)
    const show = async (color: number) => {
      await program.fill(0, 0, 300, 200, color, window)
      const channels = [color >> 16, (color >> 8) & 0xff, color & 0xff]
      await expect.poll(async () => isNear(await pixelAt(page, 250, 200), channels)).toBe(true)
    }
    await page.clock.install()
    await takeControl(page, server.url, desktop)
    await show(0x20a040)

    await desktop.device.kill()
    await expect(page.getByRole('alert')).toContainText('The connection to the device is lost.')
    await desktop.device.restart()
    await running(page)
    await show(0xc02040)

    await server.whileStopped(() =>
      expect(page.getByRole('alert').filter({ hasText: 'The server is not responding.' })).toBeVisible(),
    )
    await running(page)
    await show(0x2040c0)

    const { items } = await owner.applianceRemoteSessions.list({})
    const { id: sessionId } = items.find(({ kind }) => kind === 'remote-control')!
    await owner.applianceRemoteSessions.end({ params: { sessionId }, body: { reason: 'Maintenance of the line.' } })
    await expect(page.getByRole('alert')).toContainText('ended the session: Maintenance of the line.')
    await page.clock.fastForward(60_000)
    await expect(page.getByRole('button', { name: 'Connect again' })).toBeVisible()
    program.stop()
  },
)

test(
  'a session ends with a reason when the right is withdrawn; before, the clipboard works both ways',
  { tag: '@night' },
  async ({ page, server, owner, desktop, context }) => {
    const person = await addUser(server, owner, ['Device Superuser'])
    await usePage(context, person)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await openCards(page, server.url, desktop)
    await page.evaluate(() => navigator.clipboard.writeText('from here: ü€'))
    await cardOf(page, desktop).getByRole('button', { name: 'Control', exact: true }).click()
    await running(page)
    const xclip = (...options: string[]) =>
      promisify(execFile)('xclip', ['-selection', 'clipboard', ...options], {
        env: { ...process.env, DISPLAY: desktop.display.name },
      })
    await expect.poll(async () => (await xclip('-o').catch(() => undefined))?.stdout).toBe('from here: ü€')
    const copying = spawn('xclip', ['-selection', 'clipboard'], {
      env: { ...process.env, DISPLAY: desktop.display.name },
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    copying.stdin.end('from there: 日本')
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('from there: 日本')

    const { tenantId } = owner
    const query = { principalKind: 'User', principalId: person.user.id } as const
    const { items } = await owner.permissionAssignments.list({ tenantId, query })
    const interact = items.filter(({ permissionName }) => permissionName === 'device.remote-control.interact')
    for (const { id } of interact) {
      await owner.permissionAssignments.delete({ tenantId, params: { assignmentId: id } })
    }
    await expect(page.getByRole('alert')).toContainText('The right to this session, or the credential that opened it')
    await expect(page.getByRole('button', { name: 'Connect again' })).toBeVisible()
  },
)
