import koffi from 'koffi'
import { expect, onTestFinished, test, vi } from 'vitest'
import { newDesktopSound } from '../../../agent/platform/linux/sound/desktop-sound.ts'
import { isSoundPacket, soundChannels, soundRate, soundSamples } from '../../../shared/remote-control/sound.ts'
import { hasSound, startSoundServer } from '../../support/sound-server.ts'
import { steady, until } from '../../support/until.ts'

/** Frequency of the decoded packets, by the places where their wave rises through zero. */
function frequencyOf(packets: readonly Buffer[]): number {
  const library = koffi.load('libopus.so.0')
  const create = library.func('void *opus_decoder_create(int32 rate, int channels, _Out_ int *error)')
  const decode = library.func(
    'int opus_decode(void *decoder, void *packet, int32 bytes, void *samples, int count, int fec)',
  )
  const decoder: unknown = create(soundRate, soundChannels, [0])
  let [before, rises] = [0, 0]
  for (const packet of packets) {
    const samples = Buffer.alloc(soundSamples * soundChannels * 2)
    expect(decode(decoder, packet, packet.length, samples, soundSamples, 0)).toBe(soundSamples)
    for (let at = 0; at < samples.length; at += soundChannels * 2) {
      const value = samples.readInt16LE(at)
      rises += before < 0 && value >= 0 ? 1 : 0
      before = value
    }
  }
  return rises / ((packets.length * soundSamples) / soundRate)
}

const listen = () => {
  const packets: Buffer[] = []
  const sound = newDesktopSound()
  sound.onPacket = (packet) => packets.push(packet)
  onTestFinished(async () => void (await sound.set(false)))
  return { sound, packets }
}

test.skipIf(!hasSound)(
  'a tone on the default output arrives at each listener, not a microphone; silence sends nothing, and the end is told',
  async () => {
    const server = await startSoundServer()
    onTestFinished(() => server.stop())
    vi.stubEnv('PULSE_SERVER', server.address)
    const [first, second] = [listen(), listen()]
    await until(() => first.sound.set(true).catch(() => false))
    await second.sound.set(true)
    const stop = await server.play(440)
    await until(() => second.packets.length > 60)
    expect(first.packets.every(isSoundPacket)).toBe(true)
    expect(frequencyOf(first.packets.slice(10, 60))).toBeCloseTo(440, -1)
    expect(second.packets.at(-1)).toEqual(first.packets.at(-1))
    await second.sound.set(false)
    await stop()
    const count = await steady(() => first.packets.length, 30)
    expect(second.packets.length).toBeLessThan(count)
    server.useHeadset()
    await server.play(880)
    await until(() => first.packets.length > count + 100)
    expect(frequencyOf(first.packets.slice(-50))).toBeCloseTo(880, -1)
    let end = ''
    first.sound.onEnd = (reason) => (end = reason)
    await server.stop()
    await until(() => end)
    expect(end).toContain('The sound of the device has ended')
  },
)

test.skipIf(!hasSound)('a desktop without a sound server says why', async () => {
  vi.stubEnv('PULSE_SERVER', 'unix:/nowhere/native')
  const { sound } = listen()
  await expect(sound.set(true)).rejects.toThrow('This desktop has no sound that could be heard: Connection refused')
})
