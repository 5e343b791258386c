import { soundRate } from '../../../shared/remote-control/sound.ts'
import type { SoundPlanes } from './sound-decoding.ts'

/** Sound that is collected before it plays, so that packets may arrive unevenly. */
const leadSeconds = 0.08
/** With more than this, sound is late: what waits is dropped, and the newest plays. */
const mostAheadSeconds = 0.3

/** Whether this browser decodes sound. Browsers offer no decoder to pages that came over plain HTTP from another machine. */
export const canPlaySound = (): boolean => 'AudioDecoder' in globalThis

/** Plays decoded sound one part after the other. */
export class SoundPlayer {
  #context: AudioContext | undefined
  readonly #playing = new Set<AudioBufferSourceNode>()
  /** End of the sound that waits, in seconds of the context. */
  #endsAt = 0

  /** Call while the person presses a switch: browsers play nothing unasked. */
  open(): void {
    this.#context ??= new AudioContext({ sampleRate: soundRate, latencyHint: 'interactive' })
    void this.#context.resume().catch(() => undefined)
  }

  play(planes: SoundPlanes): void {
    const context = this.#context
    const length = planes[0]?.length ?? 0
    if (context?.state !== 'running' || length === 0) {
      return
    }
    const now = context.currentTime
    if (this.#endsAt > now + mostAheadSeconds) {
      this.#stopAll()
    }
    // After a pause, or when sound came late.
    const startsAt = this.#endsAt > now ? this.#endsAt : now + leadSeconds
    const buffer = context.createBuffer(planes.length, length, soundRate)
    planes.forEach((plane, channel) => buffer.copyToChannel(plane, channel))
    const source = context.createBufferSource()
    source.buffer = buffer
    source.connect(context.destination)
    source.addEventListener('ended', () => this.#playing.delete(source))
    source.start(startsAt)
    this.#playing.add(source)
    this.#endsAt = startsAt + buffer.duration
  }

  close(): void {
    const context = this.#context
    this.#context = undefined
    this.#stopAll()
    void context?.close()
  }

  #stopAll() {
    this.#playing.forEach((source) => source.stop())
    this.#playing.clear()
    this.#endsAt = 0
  }
}
