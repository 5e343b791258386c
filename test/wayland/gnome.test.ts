/** A real agent, as root, shows and controls a real session of GNOME of another user. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { keyboardInputMode, mouseButton } from '../../shared/remote-control/values.ts'
import { visit } from '../e2e/visit.ts'
import { until } from '../support/until.ts'
import { gnome } from './compositors.ts'
import { near, Scene } from './scene.ts'
import { backgroundColor, problemOf } from './session.ts'

const problem = problemOf(gnome)
const modifiers = { control: false, shift: false, alt: false, meta: false }

describe.skipIf(problem !== undefined)(`a session of GNOME${problem ? `: ${problem}` : ''}`, () => {
  const scene = new Scene(gnome)

  /** Opens a session; resolves when the picture of the first display was drawn. */
  async function control() {
    const session = await scene.control()
    // GNOME starts with the overview of its windows.
    const escape = { key: 'Escape', code: 'Escape', inputMode: keyboardInputMode.Auto, modifiers }
    await until(async () => {
      if (!session.isTerminal()) {
        await session.remote.send('KeyEvent', { ...escape, isPressed: true })
        await session.remote.send('KeyEvent', { ...escape, isPressed: false })
      }
      return session.isTerminal()
    })
    return session
  }

  test('is shown with both displays in their own colors', async () => {
    const { remote, canvas, current, isTerminal } = await control()
    expect(current().map(({ displayId }) => displayId)).toEqual(['Meta-0', 'Meta-1'])
    await remote.send('ChangeDisplays', { displayId: 'Meta-1' })
    await until(() => near(canvas.at(600, 400), backgroundColor))
    await remote.send('ChangeDisplays', { displayId: 'Meta-0' })
    await until(() => isTerminal())
  })

  test('types text of its keyboard layout', async () => {
    const { remote } = await control()
    const text = 'echo "ABC" > {}|~'
    await remote.send('TypeText', { text: `${text}\n` })
    await expect.poll(() => scene.session.typed()).toContain(`${text}\r`)
  })

  test('takes clicks where the viewer points', async () => {
    const { remote } = await control()
    const place = { normalizedX: 0.5, normalizedY: 0.5 }
    await remote.send('MouseClick', { button: mouseButton.Left, isDoubleClick: false, ...place })
    // The middle of 1600 by 1000 pixels below the panel and the title, in cells of about 7 by 14.
    await expect.poll(() => scene.session.typed()).toMatch(/\x1b\[<0;11\d;3\dM\x1b\[<0;11\d;3\dm/)
  })

  test('pastes text that its keyboard layout lacks, and keeps the clipboard', { timeout: 120_000 }, async () => {
    const { remote, clipboard, sessionId } = await control()
    await scene.session.run('sh', '-c', 'printf "kept" | wl-copy >/dev/null 2>&1')
    await until(() => clipboard.includes('kept'))
    const file = (name: string) => path.join(scene.session.folder, name)
    const entry = () => readFileSync(file('entry'), 'utf8')
    rmSync(file('entry'), { force: true })
    const closed = scene.session.run('gjs', '-m', file('entry.js'))
    await until(() => existsSync(file('entry')))
    await remote.send('TypeText', { text: 'Grüße 😀' })
    await expect.poll(entry).toBe('Grüße 😀')
    await remote.send('TypeText', { text: '\n' })
    await closed
    const paste = () => scene.session.run('wl-paste', '--no-newline').catch(() => '')
    expect(await paste()).toBe('kept')
    await remote.send('ClipboardText', { text: 'from the viewer ü😀', sessionId })
    await until(async () => (await paste()) === 'from the viewer ü😀')
  })

  test('shares pictures and files of the clipboard in both directions', async () => {
    await scene.exchangeCopies(await control())
  })

  /** Scales and turns the second display, as the settings of GNOME do. */
  async function arrange(scale: number, quarterTurns: number) {
    const name = 'org.gnome.Mutter.DisplayConfig'
    const call = (method: string, ...args: string[]) => {
      const object = ['--dest', name, '--object-path', '/org/gnome/Mutter/DisplayConfig']
      return scene.session.run('gdbus', 'call', '--session', ...object, '--method', `${name}.${method}`, ...args)
    }
    const state = await call('GetCurrentState')
    const [, serial = ''] = /uint32 (\d+)/.exec(state) ?? []
    const [first, second] = [...state.matchAll(/\('(\d+x\d+@[\d.]+)'/g)].map(([, mode]) => mode)
    const displays = [
      `(0, 0, 1.0, uint32 0, true, [('Meta-0', '${first}', {})])`,
      `(1600, 0, ${scale.toFixed(1)}, uint32 ${quarterTurns}, false, [('Meta-1', '${second}', {})])`,
    ]
    const temporary = '1'
    await call('ApplyMonitorsConfig', serial, temporary, `[${displays.join(', ')}]`, '{}')
  }

  test('follows a display that is turned right after it was scaled', async () => {
    const { remote, sizes, canvas } = await control()
    await remote.send('ChangeDisplays', { displayId: 'Meta-1' })
    await until(() => near(canvas.at(600, 400), backgroundColor))
    await arrange(2, 0)
    await arrange(1, 1)
    // The picture has the width of the first display, and is cleared whenever displays change.
    await until(() => sizes()[1] === '980x1600' && near(canvas.at(960, 990), backgroundColor))
    await arrange(1, 0)
    await until(() => sizes()[1] === '1600x980' && near(canvas.at(1580, 960), backgroundColor))
  })

  test('has a preview with both displays', async () => {
    expect(await scene.preview()).toEqual([3200, 1000, true, true])
  })

  test('is visited in a browser', { timeout: 240_000 }, async () => {
    await control()
    await visit(scene.owner, scene.device.id, await scene.visited('sudo -i && exit'))
  })

  test('says that its screen is locked, to whom is connected and to whom wants to be', async () => {
    const { errors } = await control()
    const shell = ['--dest=org.gnome.Shell', '--object-path=/org/gnome/Shell', '--method=org.gnome.Shell.Eval']
    // The lock screen does this, too; it needs a login of systemd.
    const access = 'global.backend.get_remote_access_controller()'
    await scene.session.run('gdbus', 'call', '--session', ...shell, `${access}.inhibit_remote_access()`)
    await until(() => errors.length > 0)
    expect(errors).toEqual(['The person at the device ended the sharing of the screen, or locked it.'])
    const locked = /The screen of this desktop is locked, and GNOME shows its lock screen to no program/
    await expect.poll(async () => (await scene.listed()).name).toMatch(locked)
    await scene.session.run('gdbus', 'call', '--session', ...shell, `${access}.uninhibit_remote_access()`)
    await until(async () => (await scene.listed()).areRemoteControlPermissionsGranted)
  })

  test('ends with the reason when GNOME Shell has ended', async () => {
    const { errors } = await control()
    scene.session.kill()
    await until(() => errors.length > 0)
    expect(errors).toEqual(['The program that draws this Wayland desktop has ended.'])
  })
})
