import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { openPolicy } from '../../../../shared/remote-control/policy.ts'
import { until } from '../../../support/until.ts'
import { systemClock } from '../../../../agent/base/clock.ts'
import { SessionNotice } from '../../../../agent/desktop/session/session-notice.ts'
import { memorySwitch, MemoryDesktop } from './memory-desktop.ts'
import { handled, runQuietly, startScene } from './scene.ts'

describe('blocking input', () => {
  test('answers the current state, and ends with the session', async () => {
    const desktop = new MemoryDesktop([320, 200])
    const blocked: boolean[] = []
    desktop.blockInput = memorySwitch((isBlocked) => {
      blocked.push(isBlocked)
      return blocked.length === 2 ? Promise.reject(new Error('Not now.')) : Promise.resolve(isBlocked)
    })
    const { viewer, told, ended } = await startScene({ desktop })
    await viewer.send('ToggleBlockInput', { isEnabled: true })
    await until(() => told.BlockInputResult?.length === 1)
    await viewer.send('ToggleBlockInput', { isEnabled: false })
    await until(() => told.BlockInputResult?.length === 2)
    expect(told.BlockInputResult?.[1]).toEqual({ isSuccess: false, finalState: true, reason: 'Not now.' })
    viewer.close()
    await ended
    expect(blocked).toEqual([true, false, false])
  })

  test('that begins while the session ends is undone', async () => {
    const desktop = new MemoryDesktop([320, 200])
    const blocked: boolean[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    desktop.blockInput = memorySwitch(async (isBlocked) => {
      blocked.push(isBlocked)
      await promise
      return isBlocked
    })
    const { viewer, ended } = await startScene({ desktop })
    await viewer.send('ToggleBlockInput', { isEnabled: true })
    await until(() => blocked.length === 1)
    viewer.close()
    await until(() => desktop.actions.length > 0)
    resolve()
    await ended
    expect(blocked).toEqual([true, false])
  })

  test('is ignored without an answer where the system does not support it, and the viewer knows why before', async () => {
    const current = await startScene()
    await until(() => current.told.DesktopStatus)
    expect(current.told.DesktopStatus).toEqual([
      {
        blockInputObstacle: 'This desktop blocks no input.',
        privacyScreenObstacle: 'This desktop blanks no screens.',
        soundObstacle: 'The agent cannot read the sound of this system yet.',
        isSecureDesktop: false,
      },
    ])
    await current.viewer.send('ToggleBlockInput', { isEnabled: true })
    await current.viewer.send('TogglePrivacyScreen', { isEnabled: true })
    await handled(current)
    const { BlockInputResult, PrivacyScreenResult, ToastNotification } = current.told
    expect([BlockInputResult, PrivacyScreenResult, ToastNotification]).toEqual([undefined, undefined, undefined])
  })
})

test('screens that stop being blank are reported with the reason, and not switched off again', async () => {
  const desktop = new MemoryDesktop([320, 200])
  const states: boolean[] = []
  desktop.blankScreens = memorySwitch((isOn) => {
    states.push(isOn)
    return Promise.resolve(isOn)
  })
  const { viewer, told, ended } = await startScene({ desktop })
  await viewer.send('TogglePrivacyScreen', { isEnabled: true })
  await until(() => told.PrivacyScreenResult?.length === 1)
  desktop.blankScreens.onEnd('Another program closed the window.')
  await until(() => told.ToastNotification)
  expect(told.PrivacyScreenResult).toEqual([
    { isSuccess: true, finalState: true, reason: undefined },
    { isSuccess: true, finalState: false, reason: 'Another program closed the window.' },
  ])
  expect(told.ToastNotification).toMatchObject([{ message: 'Another program closed the window.' }])
  viewer.close()
  await ended
  expect(states).toEqual([true])
})

describe('the end', () => {
  test('switches the states off on a desktop that releases no keys, and waits for its answer for a limited time', async () => {
    const desktop = new MemoryDesktop([320, 200])
    const states: boolean[] = []
    desktop.blankScreens = memorySwitch((isOn) => {
      states.push(isOn)
      return isOn ? Promise.resolve(true) : new Promise(() => undefined)
    })
    desktop.input.releaseAll = () => {
      throw new Error('The display is gone.')
    }
    const limitMs = 10_000
    const clock = {
      ...systemClock,
      after: (delayMs: number, run: () => void) => systemClock.after(delayMs === limitMs ? 0 : delayMs, run),
    }
    const { viewer, told, ended } = await startScene({ desktop, clock })
    await viewer.send('TogglePrivacyScreen', { isEnabled: true })
    await until(() => told.PrivacyScreenResult)
    viewer.close()
    await ended
    expect([states, desktop.isClosed]).toEqual([[true, false], true])
  })

  test('by the viewer releases keys, and closes screen and desktop', async () => {
    const current = await startScene()
    await handled(current)
    current.viewer.close()
    expect(await current.ended).toEqual({ by: 'viewer', reason: 'The viewer closed the session.', hasTyped: false })
    expect(current.desktop.actions).toEqual([['release']])
    expect([current.desktop.screen.isClosed, current.desktop.isClosed]).toEqual([true, true])
  })

  test('by a lost connection', async () => {
    const { relay, ended, desktop } = await startScene()
    relay.server.clients.forEach((socket) => socket.terminate())
    expect(await ended).toEqual({ by: 'connection', reason: 'The connection was lost.', hasTyped: false })
    expect(desktop.actions).toEqual([['release']])
  })

  test('by the person at the device, whose notice names the viewers', async () => {
    const { ended, desktop, told } = await startScene({ request: { notifyUserOnSessionStart: true } })
    expect(desktop.notices).toMatchObject([{ text: 'Ada controls this screen.', label: 'End session' }])
    desktop.notices[0]?.end()
    expect((await ended).by).toBe('person')
    await until(() => told.SessionDisconnectRequested)
    expect(desktop.notices[0]?.isClosed).toBe(true)
  })

  test('several viewers share one notice, which names who controls and ends all sessions', async () => {
    const desktop = new MemoryDesktop([320, 200])
    const notice = new SessionNotice()
    const join = (viewerName: string, canInteract: boolean) =>
      startScene({
        desktop,
        notice,
        request: { viewerName, notifyUserOnSessionStart: true, policy: { ...openPolicy, canInteract } },
      })
    const scenes = [await join('Ada', true), await join('Bob', false), await join('Cy', false)]
    const shown = () => desktop.notices.filter(({ isClosed }) => !isClosed)
    expect(shown()).toMatchObject([{ text: 'Ada controls, Bob and Cy see this screen.', label: 'End all' }])
    scenes[2]!.viewer.close()
    await scenes[2]!.ended
    expect(shown()).toMatchObject([{ text: 'Ada controls, Bob sees this screen.', label: 'End all' }])
    shown()[0]!.end()
    const ends = await Promise.all(scenes.map(({ ended }) => ended))
    expect(ends.map(({ by }) => by)).toEqual(['person', 'person', 'viewer'])
    expect(shown()).toEqual([])
  })

  test('by a desktop that disappears', async () => {
    const { ended, desktop, told } = await startScene()
    desktop.onEnd('The user signed out.')
    expect(await ended).toEqual({ by: 'desktop', reason: 'The user signed out.', hasTyped: false })
    await until(() => told.RemoteControlSessionError)
    expect(told.RemoteControlSessionError).toEqual([{ message: 'The user signed out.', isFatal: true }])
  })

  test('without a requested notice shows none', async () => {
    const { desktop } = await startScene()
    expect(desktop.notices).toEqual([])
  })
})

describe('before the session', () => {
  test('a desktop that disappears before the viewer connects ends it, and closes every connection', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const [desktop, arrived] = [new MemoryDesktop([10, 10]), once(server, 'connection')]
    const ended = runQuietly(desktop, `ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const [socket] = (await arrived) as [Socket]
    socket.on('error', () => {}).resume()
    const left = once(socket, 'close')
    desktop.onEnd('The user signed out.')
    expect(await ended).toEqual({ by: 'desktop', reason: 'The user signed out.' })
    expect(desktop.isClosed).toBe(true)
    await left
    server.close()
  })

  test('an unreachable server is reported as the reason', async () => {
    const desktop = new MemoryDesktop([10, 10])
    expect((await runQuietly(desktop, 'ws://127.0.0.1:1')).reason).toContain('could not be connected')
    expect(desktop.isClosed).toBe(true)
  })
})
