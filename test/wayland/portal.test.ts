/**
 * A real agent, as root, shows and controls a desktop of another user through the real portal, whose part for the desktop
 * is a stand-in.
 */
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect as onPage } from '@playwright/test'
import { describe, expect, test } from 'vitest'
import { mouseButton } from '../../shared/remote-control/values.ts'
import { openRemoteControl } from '../agent/desktop/desktop-scene.ts'
import { endControl } from '../e2e/visit-steps.ts'
import { onControlPage } from '../e2e/visit.ts'
import { cardOf, running } from '../renderer/support/real-desktop.ts'
import { until } from '../support/until.ts'
import { portal } from './compositors.ts'
import { Scene } from './scene.ts'
import { problemOf } from './session.ts'

const problem = problemOf(portal)

describe.skipIf(problem !== undefined)(`a desktop behind its portal${problem ? `: ${problem}` : ''}`, () => {
  const scene = new Scene(portal)
  const file = (name: string) => path.join(scene.session.folder, name)
  const isAsked = () => existsSync(file('asked'))

  /** Answers the question to the person, once it is shown. */
  async function answer(text: 'yes' | 'no') {
    await until(isAsked)
    writeFileSync(file('answer'), text)
  }

  /** Opens a session, which the person allows if asked. */
  async function control() {
    let isOpen = false
    const opening = scene.control().finally(() => {
      isOpen = true
    })
    await until(() => isOpen || isAsked())
    const wasAsked = !isOpen
    if (wasAsked) {
      await answer('yes')
    }
    const session = await opening
    await until(() => session.isTerminal())
    return { ...session, wasAsked }
  }

  test('is listed as one whose person is asked, and has no preview', async () => {
    // Known once the device has looked, which may take longer than a list.
    await until(async () => (await scene.listed()).asksPerson)
    const { processId } = await scene.listed()
    const address = `/api/v1/desktop-preview/${scene.device.id}/${processId}?tenantId=${scene.owner.tenantId}`
    const response = await scene.owner.fetch(address)
    expect([response.ok, await response.text()]).toEqual([
      false,
      expect.stringContaining('in sessions of remote control alone'),
    ])
    expect(isAsked()).toBe(false)
  })

  test('is not shown when the person declines', async () => {
    const opened = openRemoteControl(scene, scene.viewer, await scene.listed())
    await answer('no')
    expect((await opened).answer).toMatchObject({
      isSuccess: false,
      reason: 'The person at the device did not allow it.',
    })
  })

  test('is announced on the page, which waits for the answer', { timeout: 240_000 }, async () => {
    const { name } = await scene.listed()
    await onControlPage(scene.owner, scene.device.id, async (page) => {
      const card = cardOf(page, { name: `${name} · ${scene.session.desktopName}` })
      await onPage(card).toContainText('The person at the device is asked before the session starts.')
      await card.getByRole('button', { name: 'Control', exact: true }).click()
      await onPage(page.getByText('Waiting for consent…').first()).toBeVisible()
      await answer('yes')
      await running(page)
      await endControl(page)
    })
  })

  test('is shown and controlled; the person is asked once where the portal restores permissions', async () => {
    const { remote, sizes, wasAsked } = await control()
    const of = ['org.freedesktop.portal.Desktop', '--object-path', '/org/freedesktop/portal/desktop', '--method']
    const read = ['org.freedesktop.DBus.Properties.Get', 'org.freedesktop.portal.RemoteDesktop', 'version']
    const version = await scene.session.run('gdbus', 'call', '--session', '--dest', ...of, ...read)
    expect(wasAsked).toBe(version.includes('uint32 1'))
    expect(sizes()).toEqual(['1280x720'])
    const place = { normalizedX: 0.5, normalizedY: 0.5 }
    await remote.send('MouseClick', { button: mouseButton.Left, isDoubleClick: false, ...place })
    // The middle of 1280 by 720 pixels, in cells of about 7 by 14.
    await expect.poll(() => scene.session.typed()).toMatch(/\x1b\[<0;9\d;2\dM\x1b\[<0;9\d;2\dm/)
    await remote.send('TypeText', { text: 'echo "ABC" > {}|~\n' })
    await until(() => scene.session.typed().endsWith('echo "ABC" > {}|~\r'))
  })

  test('ends with the reason when the person ends the sharing', async () => {
    const { errors } = await control()
    writeFileSync(file('revoked'), '')
    await until(() => errors.length > 0)
    expect(errors).toEqual(['The person at the device ended the sharing of the screen.'])
  })
})
