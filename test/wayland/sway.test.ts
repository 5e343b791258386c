/** A real agent, as root, shows and controls a real session of sway of another user. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { mouseButton } from '../../shared/remote-control/values.ts'
import { onControlPage, visit } from '../e2e/visit.ts'
import { eavesdrop, loudest } from '../renderer/support/heard.ts'
import { cardOf, running } from '../renderer/support/real-desktop.ts'
import { somebody } from '../support/somebody.ts'
import { hasSound, startSoundServer } from '../support/sound-server.ts'
import { until } from '../support/until.ts'
import { sway } from './compositors.ts'
import { near, Scene } from './scene.ts'
import { backgroundColor, problemOf } from './session.ts'

/** Color of the button in the line on the screen. */
const buttonColor = [0xb9, 0x1c, 0x1c]

const problem = problemOf(sway)

describe.skipIf(problem !== undefined)(`a session of sway${problem ? `: ${problem}` : ''}`, () => {
  const scene = new Scene(sway)
  const command = (text: string) => scene.session.run('swaymsg', '-s', `${scene.session.folder}/sway.sock`, text)

  /** Opens a session; resolves when the picture of the first display was drawn. */
  async function control() {
    const session = await scene.control()
    await until(() => session.isTerminal())
    return session
  }

  test('is shown with both displays in their own colors', async () => {
    const { remote, canvas, current, isTerminal } = await control()
    expect(current().map(({ displayId }) => displayId)).toEqual(['HEADLESS-1', 'HEADLESS-2'])
    await remote.send('ChangeDisplays', { displayId: 'HEADLESS-2' })
    await until(() => near(canvas.at(600, 400), backgroundColor))
    await remote.send('ChangeDisplays', { displayId: 'HEADLESS-1' })
    await until(() => isTerminal())
  })

  test('takes clicks where the viewer points, and text of every script', async () => {
    const { remote } = await control()
    const place = { normalizedX: 0.5, normalizedY: 0.5 }
    await remote.send('MouseClick', { button: mouseButton.Left, isDoubleClick: false, ...place })
    const click = await until(() => /\x1b\[<0;(\d+);(\d+)M\x1b\[<0;\1;\2m/.exec(scene.session.typed()) ?? undefined)
    // The middle of 1280 by 720 pixels, in cells of 7 by 14.
    expect(click.slice(1).map(Number)).toEqual([92, 26])
    const text = 'Grüße ABC {}|~ 漢字 😀👍 й€'
    await remote.send('TypeText', { text: `${text}\n` })
    await until(() => scene.session.typed().endsWith(`${text}\r`))
  })

  test('shares the text of the clipboard in both directions', async () => {
    const { remote, clipboard, sessionId } = await control()
    const paste = () => scene.session.run('wl-paste', '--no-newline').catch(() => '')
    await remote.send('ClipboardText', { text: 'from the viewer ü😀', sessionId })
    await until(async () => (await paste()) === 'from the viewer ü😀')
    await scene.session.run('sh', '-c', 'printf "from the device ü" | wl-copy >/dev/null 2>&1')
    await until(() => clipboard.includes('from the device ü'))
  })

  test('shares pictures and files of the clipboard in both directions', async () => {
    await scene.exchangeCopies(await control())
  })

  test('names the viewer in a line on the screen, whose button ends the session', async () => {
    const session = await control()
    const x = await until(() => {
      const row = Array.from({ length: session.canvas.width }, (_, column) => column)
      return row.find((column) => near(session.canvas.at(column, 3), buttonColor))
    })
    const place = { normalizedX: (x + 8) / session.canvas.width, normalizedY: 3 / session.canvas.height }
    await session.remote.send('MouseClick', { button: mouseButton.Left, isDoubleClick: false, ...place })
    await session.disconnected
  })

  test('has a preview with both displays', async () => {
    expect(await scene.preview()).toEqual([2304, 768, true, true])
  })

  test('is visited in a browser', { timeout: 240_000 }, async () => {
    await visit(scene.owner, scene.device.id, await scene.visited('Füße: 5 €'))
  })

  test.skipIf(!hasSound)('is heard in a browser', { timeout: 120_000 }, async () => {
    const { folder } = scene.session
    const sound = await startSoundServer({ folder, user: somebody })
    onTestFinished(() => sound.stop())
    await sound.play(1000)
    const { name } = await scene.listed()
    await onControlPage(scene.owner, scene.device.id, async (page) => {
      await eavesdrop(page)
      await page.reload()
      const title = `${name} · ${scene.session.desktopName}`
      await cardOf(page, { name: title }).getByRole('button', { name: 'Control', exact: true }).click()
      await running(page)
      await page.getByRole('button', { name: 'Extras' }).click()
      await page.getByRole('switch', { name: 'Hear the device' }).click()
      await expect.poll(async () => Math.abs((await loudest(page)) - 1000) < 10, { timeout: 30_000 }).toBe(true)
    })
    const { items } = await scene.owner.applianceAuditLog.listAll({ query: { kind: 'session.heard' } })
    expect(items).toMatchObject([{ deviceId: scene.device.id, actorId: scene.owner.user.id }])
  })

  test('follows an output that gets another size and turns, and an output that is added', async () => {
    const { current, sizes, isTerminal } = await control()
    await command('output HEADLESS-1 mode 1000x600')
    await until(() => sizes().join() === '1000x600,1024x768' && isTerminal(900, 500))
    await command('output HEADLESS-1 transform 90')
    await until(() => sizes().join() === '600x1000,1024x768' && isTerminal(500, 900))
    await command('output HEADLESS-1 transform normal')
    await command('output HEADLESS-1 mode 1280x720')
    await until(() => sizes().join() === '1280x720,1024x768' && isTerminal(1200, 600))
    await command('create_output')
    await until(() => current().some(({ displayId }) => displayId === 'HEADLESS-3'))
  })

  test('ends with the reason when sway has ended', async () => {
    const { errors } = await control()
    scene.session.kill()
    await until(() => errors.length > 0)
    expect(errors).toEqual(['The program that draws this Wayland desktop has ended.'])
  })
})
