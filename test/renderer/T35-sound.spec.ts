import { openOpus } from '../../agent/platform/linux/sound/opus.ts'
import { maxSoundPackets, soundChannels, soundRate, soundSamples } from '../../shared/remote-control/sound.ts'
import { expect, freshPageTest as test } from './support/fixtures.ts'
import { eavesdrop, loudest, partsOf } from './support/heard.ts'
import { ScriptedDesktop } from './support/scripted-desktop.ts'

// T35: the page reads how much sound a packet has before it is decoded, and decodes no more than a device can play.

const opus = await openOpus().catch(() => undefined)
test.skip(opus === undefined, 'This machine has no libopus.')

/** Packets of a tone in both channels. */
function toneOf(hertz: number, count: number): Buffer[] {
  return Array.from({ length: count }, (_, packet) => {
    const samples = Buffer.alloc(soundSamples * soundChannels * 2)
    for (let index = 0; index < soundSamples; index++) {
      const phase = (2 * Math.PI * hertz * (packet * soundSamples + index)) / soundRate
      const value = Math.round(12_000 * Math.sin(phase))
      samples.writeInt16LE(value, index * 4)
      samples.writeInt16LE(value, index * 4 + 2)
    }
    return opus!.encode(samples)
  })
}

test('sound is heard once it is switched on, and neither odd packets nor floods of them are decoded', async ({
  page,
  server,
  owner,
}) => {
  const desktop = await ScriptedDesktop.start(owner)
  await eavesdrop(page)
  await page.goto(`${server.url}/devices/${desktop.deviceId}/control`)
  await page.getByRole('button', { name: 'Control', exact: true }).click()
  await expect(page.getByText('In control')).toBeVisible()
  expect(desktop.requests[0]!.policy!.canHear).toBe(true)
  const { channel } = desktop
  const status = (soundObstacle?: string | null) =>
    channel!.send('DesktopStatus', {
      blockInputObstacle: null,
      privacyScreenObstacle: null,
      isSecureDesktop: false,
      ...(soundObstacle !== undefined && { soundObstacle }),
    })
  const answer = (finalState: boolean, reason?: string) =>
    channel!.send('SoundResult', { isSuccess: reason === undefined, finalState, ...(reason && { reason }) })
  const send = (packets: readonly Uint8Array[]) => channel!.send('Sound', { packets })
  const asked = () => desktop.sent('ToggleSound').map(({ isEnabled }) => isEnabled)

  await page.getByRole('button', { name: 'Extras' }).click()
  const hear = page.getByRole('switch', { name: 'Hear the device' })
  await status()
  await expect(page.getByText('The agent of this device sends no sound.')).toBeVisible()
  await expect(hear).toBeDisabled()
  await status(null)
  await hear.click()
  await expect.poll(asked).toEqual([true])
  await answer(false, 'libopus is missing on this device.')
  await expect(page.getByText('libopus is missing on this device.')).toBeVisible()
  await hear.click()
  await expect.poll(asked).toEqual([true, true])
  // Sound before the device has confirmed that it sends some is dropped.
  const tone = toneOf(1000, 500)
  await send(tone.slice(0, maxSoundPackets))
  await answer(true)
  await expect(page.getByRole('status', { name: 'Sound on' })).toBeVisible()
  expect(await partsOf(page)).toBe(0)

  let next = 0
  const playing = setInterval(() => void send([tone[next++ % tone.length]!]), 20)
  await expect.poll(async () => Math.abs((await loudest(page)) - 1000) < 10).toBe(true)
  clearInterval(playing)

  // None of these reaches the decoder: several frames, 60 ms, no frame, and more than a frame can have.
  await expect.poll(() => loudest(page)).toBe(0)
  const before = await partsOf(page)
  const odd = [[0xff, 48], [0x1c, 1], [0xfc], [0xfc, ...Buffer.alloc(1276)]]
  await send(odd.map((bytes) => Buffer.from(bytes)))
  await send(tone.slice(0, 1))
  await expect.poll(() => partsOf(page)).toBe(before + 1)
  const begunAt = performance.now()
  for (let at = 0; at < 200; at++) {
    void send(tone.slice(0, maxSoundPackets))
  }
  await send(tone.slice(0, 1))
  await hear.click()
  await expect.poll(asked).toEqual([true, true, false])
  await answer(false)
  await expect(hear).not.toBeChecked()
  // The page plays, of 2,001 packets, the credit of two seconds and what the flood's own time adds.
  const played = (await partsOf(page)) - before
  expect(played).toBeGreaterThan(20)
  expect(played).toBeLessThan(200 + (60 * (performance.now() - begunAt)) / 1_000)
  await desktop.stop()
})
