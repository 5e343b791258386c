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
/** `PA_SUBSCRIPTION_MASK_SERVER`, to which the choice of the default output belongs. */
const serverEvents = 0x80
const byDefault = 0xff_ff_ff_ff
/**
 * Name of the source that has what an output plays. PipeWire takes `@DEFAULT_MONITOR@` for an unknown name, and gives the
 * microphone.
 */
const monitorOf = (output: string) => `${output}.monitor`
/** Milliseconds that the sound server has for an answer, and that pass between two looks. */
const openMs = 5_000
const lookMs = 5
/** Sound that waits for this process; older sound is dropped by the server. */
const mostParts = 10

type Pulse = Awaited<ReturnType<typeof libpulse>>

/** Sound that the default output of this desktop plays. The loop of libpulse runs within the calls, and never waits. */
export class PlayedSound {
  readonly #pulse: Pulse
  readonly #partBytes: number
  readonly #loop: Pointer
  readonly #context: Pointer
  readonly #onChange: bigint
  readonly #onOutput: bigint
  /** Default output, which the person may change; undefined until it is known, null without one. */
  #output: string | null | undefined
  #stream: Pointer = null
  /** Output of the stream. */
  #recorded: string | null = null
  #isClosed = false

  private constructor(pulse: Pulse, partBytes: number) {
    this.#pulse = pulse
    this.#partBytes = partBytes
    this.#loop = pulse.newLoop()
    this.#context = pulse.newContext(pulse.apiOf(this.#loop), 'Farhand')
    this.#onOutput = pulse.newOutputListener((output) => (this.#output = output))
    this.#onChange = pulse.newListener(() => this.#askOutput())
  }

  /** Rejects with a UserError; `partBytes` is the size of what the server passes on at once. */
  static async open(partBytes: number): Promise<PlayedSound> {
    const pulse = await libpulse().catch(() => {
      throw new UserError('libpulse is missing on this device; it reads the sound of PulseAudio and PipeWire')
    })
    const sound = new PlayedSound(pulse, partBytes)
    try {
      await sound.#connect()
      await sound.#until(() => Number(sound.#output !== undefined), 1, 2)
      sound.#record()
      await sound.#until(() => pulse.streamState(sound.#stream), streamReady, streamFailed)
      return sound
    } catch (error) {
      sound.close()
      throw error
    }
  }

  /** Copies what was played since the last call: 16 bits a sample, alternating between the channels. */
  take(): Buffer {
    this.#run()
    // The stream stays with the output that it began with.
    if (this.#output !== this.#recorded) {
      this.#record()
    }
    const parts: Buffer[] = []
    for (let part = this.#pulse.takePart(this.#stream); part.length > 0; part = this.#pulse.takePart(this.#stream)) {
      parts.push(part)
    }
    return Buffer.concat(parts)
  }

  /** Reason why no more sound comes; undefined while it does. */
  problem(): string | undefined {
    return this.#pulse.streamState(this.#stream) < streamFailed ? undefined : 'the sound server has closed it'
  }

  close(): void {
    if (this.#isClosed) {
      return
    }
    this.#isClosed = true
    const pulse = this.#pulse
    pulse.listen(this.#context, null, null)
    this.#endStream()
    pulse.disconnect(this.#context)
    pulse.freeContext(this.#context)
    pulse.freeLoop(this.#loop)
    pulse.freeListener(this.#onChange)
    pulse.freeListener(this.#onOutput)
  }

  async #connect() {
    const { connect, contextState, listen, subscribe, freeOperation } = this.#pulse
    if (connect(this.#context, null, noAutospawn, null) < 0) {
      throw this.#refusal()
    }
    await this.#until(() => contextState(this.#context), contextReady, contextFailed)
    listen(this.#context, this.#onChange, null)
    freeOperation(subscribe(this.#context, serverEvents, null, null))
    this.#askOutput()
  }

  #askOutput() {
    this.#pulse.freeOperation(this.#pulse.askServer(this.#context, this.#onOutput, null))
  }

  #record() {
    const { newStream, record } = this.#pulse
    this.#endStream()
    this.#recorded = this.#output ?? null
    if (this.#recorded === null) {
      throw new UserError('This desktop has no output for sound')
    }
    const spec = { format: signed16, rate: soundRate, channels: soundChannels }
    this.#stream = newStream(this.#context, 'Sound for a visitor', spec, null)
    const sizes = {
      maxlength: this.#partBytes * mostParts,
      tlength: byDefault,
      prebuf: byDefault,
      minreq: byDefault,
      fragsize: this.#partBytes,
    }
    if (!this.#stream || record(this.#stream, monitorOf(this.#recorded), sizes, adjustLatency) < 0) {
      throw this.#refusal()
    }
  }

  #endStream() {
    if (this.#stream) {
      this.#pulse.endStream(this.#stream)
      this.#pulse.freeStream(this.#stream)
      this.#stream = null
    }
  }

  /** Handles what the sound server has sent. */
  #run() {
    while (this.#pulse.iterate(this.#loop, 0, null) > 0) {
      // Each turn handles some events.
    }
  }

  /** States above `failed` are ends too. */
  async #until(read: () => number, ready: number, failed: number) {
    const deadline = performance.now() + openMs
    for (;;) {
      this.#run()
      const state = read()
      if (state === ready) {
        return
      }
      if (state >= failed || performance.now() > deadline) {
        throw state >= failed ? this.#refusal() : new UserError('The sound server of this desktop does not answer')
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
