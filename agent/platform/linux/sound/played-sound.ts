import { soundChannels, soundRate } from '../../../../shared/remote-control/sound.ts'
import { UserError } from '../../../base/errors.ts'
import { libpulse, type Pointer } from './libpulse.ts'

/** `PA_CONTEXT_NOAUTOSPAWN`: listening starts no sound server. */
const noAutospawn = 1
/** `PA_CONTEXT_READY` and `PA_CONTEXT_FAILED`; `PA_STREAM_READY` and `PA_STREAM_FAILED`. */
const contextReady = 4
const contextFailed = 5
const streamReady = 2
const streamFailed = 3
/** `PA_SAMPLE_S16LE`, `PA_STREAM_ADJUST_LATENCY` */
const signed16 = 3
const adjustLatency = 0x2000
const byDefault = 0xff_ff_ff_ff
/** Name for what the default output plays; others are microphones. */
const monitor = '@DEFAULT_MONITOR@'
/** Milliseconds that the sound server has for an answer, and that pass between two looks. */
const openMs = 5_000
const lookMs = 5
/** Sound that waits for this process; older sound is dropped by the server. */
const mostParts = 10

type Pulse = Awaited<ReturnType<typeof libpulse>>

/** Sound that the default output of this desktop plays, collected by a thread of libpulse: no call waits for it. */
export class PlayedSound {
  readonly #pulse: Pulse
  readonly #loop: Pointer
  readonly #context: Pointer
  #stream: Pointer = null
  #isClosed = false

  private constructor(pulse: Pulse) {
    this.#pulse = pulse
    this.#loop = pulse.newLoop()
    this.#context = pulse.newContext(pulse.apiOf(this.#loop), 'Farhand')
  }

  /** Rejects with a UserError; `partBytes` is the size of what the server passes on at once. */
  static async open(partBytes: number): Promise<PlayedSound> {
    const pulse = await libpulse().catch(() => {
      throw new UserError('libpulse is missing on this device; it reads the sound of PulseAudio and PipeWire')
    })
    const sound = new PlayedSound(pulse)
    try {
      await sound.#connect()
      await sound.#record(partBytes)
      return sound
    } catch (error) {
      sound.close()
      throw error
    }
  }

  /** Copies what was played since the last call: 16 bits a sample, alternating between the channels. */
  take(): Buffer {
    return this.#locked(() => {
      const parts: Buffer[] = []
      for (let part = this.#pulse.takePart(this.#stream); part.length > 0; part = this.#pulse.takePart(this.#stream)) {
        parts.push(part)
      }
      return Buffer.concat(parts)
    })
  }

  /** Reason why no more sound comes; undefined while it does. */
  problem(): string | undefined {
    return this.#locked(() =>
      this.#pulse.streamState(this.#stream) === streamReady ? undefined : 'the sound server has closed it',
    )
  }

  close(): void {
    if (this.#isClosed) {
      return
    }
    this.#isClosed = true
    const pulse = this.#pulse
    this.#locked(() => {
      if (this.#stream) {
        pulse.endStream(this.#stream)
        pulse.freeStream(this.#stream)
      }
      pulse.disconnect(this.#context)
    })
    pulse.stopLoop(this.#loop)
    pulse.freeContext(this.#context)
    pulse.freeLoop(this.#loop)
  }

  async #connect() {
    const { connect, startLoop, contextState } = this.#pulse
    if (connect(this.#context, null, noAutospawn, null) < 0) {
      throw this.#refusal()
    }
    startLoop(this.#loop)
    await this.#until(() => contextState(this.#context), contextReady, contextFailed)
  }

  async #record(partBytes: number) {
    const { newStream, record, streamState } = this.#pulse
    this.#locked(() => {
      const spec = { format: signed16, rate: soundRate, channels: soundChannels }
      this.#stream = newStream(this.#context, 'Sound for a visitor', spec, null)
      const sizes = {
        maxlength: partBytes * mostParts,
        tlength: byDefault,
        prebuf: byDefault,
        minreq: byDefault,
        fragsize: partBytes,
      }
      if (!this.#stream || record(this.#stream, monitor, sizes, adjustLatency) < 0) {
        throw this.#refusal()
      }
    })
    await this.#until(() => streamState(this.#stream), streamReady, streamFailed)
  }

  #locked<T>(work: () => T): T {
    this.#pulse.lock(this.#loop)
    try {
      return work()
    } finally {
      this.#pulse.unlock(this.#loop)
    }
  }

  /** States above `failed` are ends too. */
  async #until(read: () => number, ready: number, failed: number) {
    const deadline = performance.now() + openMs
    for (;;) {
      const { state, refusal } = this.#locked(() => ({ state: read(), refusal: this.#refusal() }))
      if (state === ready) {
        return
      }
      if (state >= failed || performance.now() > deadline) {
        throw state >= failed ? refusal : new UserError('The sound server of this desktop does not answer')
      }
      await new Promise((resolve) => setTimeout(resolve, lookMs))
    }
  }

  #refusal() {
    const { textOf, contextError } = this.#pulse
    const reason = textOf(contextError(this.#context))
    return new UserError(`This desktop has no sound that could be heard: ${reason}`)
  }
}
