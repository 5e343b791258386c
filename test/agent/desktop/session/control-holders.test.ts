import { expect, test } from 'vitest'
import { openPolicy } from '../../../../shared/remote-control/policy.ts'
import { controlRequest, keyboardInputMode, type ControlRequest } from '../../../../shared/remote-control/values.ts'
import { deferred } from '../../../../shared/deferred.ts'
import { systemClock } from '../../../../agent/base/clock.ts'
import { ControlHolders } from '../../../../agent/desktop/session/control-holders.ts'
import { InputPause } from '../../../../agent/desktop/session/input-pause.ts'
import type { SessionRequest } from '../../../../agent/desktop/session/request.ts'
import { until } from '../../../support/until.ts'
import { MemoryDesktop } from './memory-desktop.ts'
import { handled, startScene } from './scene.ts'

/** Starts sessions on one desktop, as each of them opens it, with the viewers who share control. */
function startDesktop() {
  const holders = new ControlHolders()
  const pause = new InputPause()
  const join = async (viewerName: string, request: Partial<SessionRequest> = {}) => {
    const desktop = new MemoryDesktop([320, 200])
    const scene = await startScene({
      desktop,
      holders,
      pause,
      request: { viewerName, sharesControl: true, ...request },
    })
    /** Returns whether the key had an effect. Messages are handled in order, so a whole picture follows it. */
    const presses = async (key: string) => {
      const before = desktop.actions.length
      const press = { key, code: `Key${key}`, inputMode: keyboardInputMode.Physical, isPressed: true }
      await scene.viewer.send('KeyEvent', {
        ...press,
        modifiers: { control: false, shift: false, alt: false, meta: false },
      })
      await handled(scene)
      return desktop.actions.length > before
    }
    const seen = () => scene.told.ControlHolders?.at(-1)?.viewers ?? []
    const asks = async (request: ControlRequest, of = '') => {
      const viewerId = seen().find(({ name }) => name === of)?.id ?? 0
      await scene.viewer.send('RequestControl', { request, viewerId })
    }
    const holding = () => seen().flatMap(({ name, holds }) => (holds ? [name] : []))
    return { scene, desktop, presses, seen, asks, holding }
  }
  return Object.assign(join, { pause })
}

test('no viewer answers a question in place of the person, and all act again afterwards (T05)', async () => {
  const join = startDesktop()
  const ada = await join('Ada')
  const other = await join('Viewer of another make', { sharesControl: undefined })
  expect(await ada.presses('A')).toBe(true)
  join.pause.add({
    release: () => {
      throw new Error('This desktop is closed.')
    },
    tell: () => {},
  })
  const text = deferred<void>()
  ada.desktop.typing = text.promise
  await ada.scene.viewer.send('TypeText', { text: '\t\t \n' })
  await until(() => ada.desktop.actions.length === 2)
  let isAsked = false
  const paused = join.pause.begin(systemClock).finally(() => (isAsked = true))
  await until(() => ada.scene.told.ToastNotification?.some(({ message }) => message.includes('answering a question')))
  expect(ada.desktop.actions.at(-1)).toEqual(['release'])
  expect([await ada.presses('B'), await other.presses('C')]).toEqual([false, false])
  expect(isAsked).toBe(false)
  text.resolve()
  const resume = await paused
  resume()
  expect([await ada.presses('D'), await other.presses('E')]).toEqual([true, true])
})

test('the second viewer watches until control is given, taken or shared', async () => {
  const join = startDesktop()
  const ada = await join('Ada')
  const bob = await join('Bob')
  expect([await ada.presses('A'), await bob.presses('B')]).toEqual([true, false])
  expect(bob.seen()).toMatchObject([
    { name: 'Ada', holds: true, isYou: false },
    { name: 'Bob', holds: false, isYou: true },
  ])

  await bob.asks(controlRequest.Ask)
  await until(() => ada.seen().some(({ name, isAsking }) => name === 'Bob' && isAsking))
  await ada.asks(controlRequest.Give, 'Bob')
  await until(() => bob.holding().includes('Bob'))
  expect(bob.holding()).toEqual(['Bob'])
  // The keys that Ada held down are released at the device.
  expect(ada.desktop.actions.at(-1)).toEqual(['release'])
  expect([await ada.presses('A'), await bob.presses('B')]).toEqual([false, true])

  await ada.asks(controlRequest.Take)
  await until(() => ada.holding().join() === 'Ada')
  expect([await ada.presses('A'), await bob.presses('B')]).toEqual([true, false])

  await ada.asks(controlRequest.Share, 'Bob')
  await until(() => bob.holding().length === 2)
  expect([await ada.presses('A'), await bob.presses('B')]).toEqual([true, true])
})

test('a viewer without control can neither give nor share it', async () => {
  const join = startDesktop()
  const ada = await join('Ada')
  const bob = await join('Bob')
  const cy = await join('Cy')
  await until(() => bob.seen().length === 3)
  await bob.asks(controlRequest.Give, 'Cy')
  await bob.asks(controlRequest.Share, 'Cy')
  expect([await bob.presses('B'), await cy.presses('C'), await ada.presses('A')]).toEqual([false, false, true])
})

test('control of a viewer who leaves goes to one who asks, else to who acts first', async () => {
  const join = startDesktop()
  const ada = await join('Ada')
  const bob = await join('Bob')
  const cy = await join('Cy')
  await cy.asks(controlRequest.Ask)
  await until(() => bob.seen().some(({ isAsking }) => isAsking))
  ada.scene.viewer.close()
  await until(() => bob.holding().join() === 'Cy')
  cy.scene.viewer.close()
  await until(() => bob.seen().length === 1)
  expect(bob.holding()).toEqual([])
  expect(await bob.presses('B')).toBe(true)
  expect(bob.holding()).toEqual(['Bob'])
})

test('windows of one person hold control together, and are one viewer to the others', async () => {
  const join = startDesktop()
  const first = await join('Ada', { viewerPrincipalId: 'ada' })
  const bob = await join('Bob', { viewerPrincipalId: 'bob' })
  const second = await join('Ada', { viewerPrincipalId: 'ada' })
  expect([await first.presses('A'), await second.presses('A'), await bob.presses('B')]).toEqual([true, true, false])
  expect(bob.seen()).toMatchObject([
    { name: 'Ada', isYou: false },
    { name: 'Bob', isYou: true },
  ])
  await bob.asks(controlRequest.Take)
  await until(() => bob.holding().join() === 'Bob')
  expect([await first.presses('A'), await second.presses('A'), await bob.presses('B')]).toEqual([false, false, true])
})

test('viewers of other makes act as before; view-only sessions are not among those who share', async () => {
  const join = startDesktop()
  const ada = await join('Ada')
  const other = await join('Other', { sharesControl: undefined })
  const watcher = await join('Watcher', { policy: { ...openPolicy, canInteract: false } })
  expect([await ada.presses('A'), await other.presses('O'), await watcher.presses('W')]).toEqual([true, true, false])
  await other.scene.viewer.send('RequestControl', { request: controlRequest.Take, viewerId: 0 })
  await watcher.scene.viewer.send('RequestControl', { request: controlRequest.Take, viewerId: 0 })
  expect([await watcher.presses('W'), await ada.presses('A')]).toEqual([false, true])
  expect(other.scene.told.ControlHolders).toBeUndefined()
  expect(watcher.scene.told.ControlHolders).toBeUndefined()
})
