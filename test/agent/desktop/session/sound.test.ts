import { expect, test } from 'vitest'
import { SessionNotice } from '../../../../agent/desktop/session/session-notice.ts'
import { SessionRights } from '../../../../agent/desktop/session/rights.ts'
import { SessionSound } from '../../../../agent/desktop/session/session-sound.ts'
import type { DesktopSound } from '../../../../agent/platform/desktop/desktop.ts'
import { Channel } from '../../../../shared/remote-control/channel.ts'
import { decodeEnvelope, decodePayload, encodeMessage } from '../../../../shared/remote-control/codec.ts'
import { messages, type DeviceMessage, type ViewerMessage } from '../../../../shared/remote-control/messages.ts'
import { fullPolicy, openPolicy } from '../../../../shared/remote-control/policy.ts'
import { manualClock } from '../../../support/clock.ts'
import { until } from '../../../support/until.ts'
import { MemoryDesktop, memorySwitch } from './memory-desktop.ts'
import { startScene } from './scene.ts'

const packet = (number: number) => Buffer.from([0xfc, number])

async function start(policy = fullPolicy, set: DesktopSound['set'] = (isOn) => Promise.resolve(isOn)) {
  const desktop = new MemoryDesktop([320, 200])
  const asked: boolean[] = []
  const sound: DesktopSound = Object.assign(
    memorySwitch((isOn) => {
      asked.push(isOn)
      return set(isOn)
    }),
    { onPacket: () => undefined },
  )
  desktop.sound = sound
  const heard: string[] = []
  const scene = await startScene({
    desktop,
    notice: new SessionNotice(),
    request: { policy },
    onHeard: () => heard.push('heard'),
  })
  return { ...scene, sound, asked, heard }
}

test('a viewer hears the device after it asked, until it ends that; the person sees it, and each start is reported', async () => {
  const { viewer, told, sound, asked, heard, desktop, ended } = await start()
  sound.onPacket(packet(1))
  await viewer.send('ToggleSound', { isEnabled: true })
  await until(() => told.SoundResult)
  sound.onPacket(packet(2))
  await until(() => told.Sound)
  expect(desktop.notices.at(-1)).toMatchObject({
    text: 'Ada controls this screen and hears its sound.',
    isClosed: false,
  })
  await viewer.send('ToggleSound', { isEnabled: false })
  await until(() => told.SoundResult?.length === 2)
  sound.onPacket(packet(3))
  expect(desktop.notices.every(({ isClosed }) => isClosed)).toBe(true)
  viewer.close()
  await ended
  expect(told.SoundResult).toMatchObject([{ finalState: true }, { finalState: false }])
  expect(told.Sound?.map(({ packets }) => packets.map((bytes) => bytes[1]))).toEqual([[2]])
  expect([asked, heard]).toEqual([[true, false], ['heard']])
})

test('without the right nothing is read, whatever the viewer sends, and it learns why (T05)', async () => {
  // An older server sends a policy without the member, or none.
  const { viewer, told, asked, ended } = await start(openPolicy)
  await viewer.send('ToggleSound', { isEnabled: true })
  await until(() => told.ToastNotification)
  viewer.close()
  await ended
  expect(told.ToastNotification![0]!.message).toBe('You may not hear the sound of this device.')
  expect([asked, told.SoundResult]).toEqual([[], undefined])
})

test('sound ends with the session; a sound server that fails or ends is named', async () => {
  let isMissing = true
  const { viewer, told, sound, asked, ended } = await start(fullPolicy, (isOn) =>
    isMissing ? Promise.reject(new Error('libopus is missing on this device')) : Promise.resolve(isOn),
  )
  const toggle = () => viewer.send('ToggleSound', { isEnabled: true })
  await toggle()
  await until(() => told.SoundResult?.length === 1)
  isMissing = false
  await toggle()
  await until(() => told.SoundResult?.length === 2)
  sound.onEnd('The sound of the device has ended: it was unplugged.')
  await until(() => told.SoundResult?.length === 3)
  await toggle()
  await until(() => told.SoundResult?.length === 4)
  viewer.close()
  await ended
  expect(told.SoundResult).toEqual([
    { isSuccess: false, finalState: false, reason: 'libopus is missing on this device.' },
    { isSuccess: true, finalState: true },
    { isSuccess: true, finalState: false, reason: 'The sound of the device has ended: it was unplugged.' },
    { isSuccess: true, finalState: true },
  ])
  expect(asked).toEqual([true, true, true, false])
})

test('a system whose sound the agent cannot read says so at the start', async () => {
  const { told } = await startScene()
  await until(() => told.DesktopStatus)
  expect(told.DesktopStatus![0]!.soundObstacle).toBe('The agent cannot read the sound of this system yet.')
})

/** Session with sound on a line that takes `ms` for a picture of 200 kB. */
async function startBusy(ms: number) {
  const clock = manualClock()
  const sent: Uint8Array[] = []
  const channel = new Channel<DeviceMessage, ViewerMessage>({
    clock,
    handlers: {},
    socket: {
      send: (bytes, onSent) => {
        sent.push(bytes)
        onSent()
      },
      close: () => {},
    },
    onEnd: () => {},
  })
  const sound: DesktopSound = { ...memorySwitch((isOn) => Promise.resolve(isOn)), onPacket: () => undefined }
  const rights = new SessionRights(fullPolicy, () => {})
  const session = new SessionSound({ sound, rights, channel, tell: () => {}, onHeard: () => {} })
  const ack = () => {
    const receivedSize = sent.at(-1)!.length
    channel.receive(encodeMessage('Ack', { receivedSize, sendTimestamp: 0n, waitingFrames: undefined }, 0n))
  }
  session.handlers().ToggleSound!({ isEnabled: true })
  await until(() => sent.length === 1)
  ack()
  await channel.send('ScreenRegion', {
    x: 0,
    y: 0,
    width: 1,
    height: 1,
    encodedImage: Buffer.alloc(200_000),
    imageFormat: 0,
  })
  const finishPicture = () => {
    clock.advance(ms)
    ack()
  }
  return { channel, sent, sound, finishPicture }
}

test('behind a picture that fills the line, the newest fifth of a second waits and older sound is dropped', async () => {
  const { sent, sound, finishPicture } = await startBusy(100)
  for (let number = 0; number < 15; number++) {
    sound.onPacket(packet(number))
  }
  finishPicture()
  await until(() => sent.length === 3)
  const { dtoType, payload } = decodeEnvelope(sent[2]!)
  expect(dtoType).toBe(messages.Sound.number)
  expect(decodePayload('Sound', payload).packets.map((bytes) => bytes[1])).toEqual([5, 6, 7, 8, 9, 10, 11, 12, 13, 14])
})

test('a line that would need more than an eighth of its time for sound is left to pictures', async () => {
  const { channel, sent, sound, finishPicture } = await startBusy(4_000)
  finishPicture()
  sound.onPacket(packet(15))
  await channel.send('DisplayShown', { displayId: 'last' })
  expect(decodeEnvelope(sent[2]!).dtoType).toBe(messages.DisplayShown.number)
})
