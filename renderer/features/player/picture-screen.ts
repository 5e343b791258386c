import { RecordedInput } from '../../../shared/dtos/recording.ts'
import { recordingEntries, type RecordingEntry } from '../../../shared/recording-entries.ts'
import { decodeEnvelope, decodePayload } from '../../../shared/remote-control/codec.ts'
import { nameOf } from '../../../shared/remote-control/messages.ts'
import { Painter } from '../control/painter.ts'
import { isDrawable } from '../../../shared/picture-size.ts'
import type { Screen } from './playback.ts'

/** Frames that may wait to be drawn. The painter gives up above 120. */
const maxWaiting = 30
const pointerRadius = 9

/** Shows the pictures of a recorded screen, with the pointer of the viewer, by the painter of remote control. */
export class PictureScreen implements Screen {
  readonly needsAll = false
  isBlank = true
  /** Called when the size of the picture changes. */
  onSize = () => {}
  readonly #canvas: HTMLCanvasElement
  readonly #context: CanvasRenderingContext2D
  #picture = new OffscreenCanvas(1, 1)
  #painter = this.#newPainter()
  #pointer: readonly [number, number] | undefined
  #isPressed = false
  #wake = () => {}

  constructor(canvas: HTMLCanvasElement) {
    const context = canvas.getContext('2d', { alpha: false })
    if (!context) {
      throw new Error('This browser cannot draw on a canvas.')
    }
    this.#canvas = canvas
    this.#context = context
  }

  reset(): void {
    this.#painter.forget()
    this.#painter = this.#newPainter()
    this.#pointer = undefined
    this.isBlank = true
  }

  async show({ kind, content }: RecordingEntry): Promise<void> {
    try {
      if (kind === recordingEntries.device) {
        await this.#showMessage(content)
      } else if (kind === recordingEntries.viewer) {
        this.#showInput(RecordedInput.parse(JSON.parse(new TextDecoder().decode(content))))
      }
    } catch {
      // A device can send anything: what cannot be decoded is left out, as in the session (T35).
    }
  }

  async settled(): Promise<void> {
    while (this.#painter.waitingFrames > 0) {
      await this.#drawn()
    }
    this.#draw()
  }

  #newPainter(): Painter {
    const picture = this.#picture
    return new Painter(
      picture,
      () => {
        if (picture === this.#picture) {
          this.#draw()
          this.#wake()
        }
      },
      () => this.#wake(),
    )
  }

  async #showMessage(content: Uint8Array) {
    const { dtoType, payload } = decodeEnvelope(content)
    switch (nameOf(dtoType)) {
      case 'ScreenRegions':
        this.#painter.add(decodePayload('ScreenRegions', payload))
        this.isBlank = false
        await this.#room()
        break
      case 'ScreenRegion':
        this.#painter.add({ regions: [decodePayload('ScreenRegion', payload)] })
        this.isBlank = false
        await this.#room()
        break
      default:
    }
  }

  #showInput(input: RecordedInput) {
    if ('width' in input) {
      if (isDrawable(input.width, input.height)) {
        this.#resize(input)
      }
      return
    }
    this.#pointer = input.at
    this.#isPressed = input.isPressed ?? this.#isPressed
    if (this.#painter.waitingFrames === 0) {
      this.#draw()
    }
  }

  #resize({ width, height }: { width: number; height: number }) {
    if (width === this.#picture.width && height === this.#picture.height) {
      return
    }
    this.#painter.forget()
    this.#picture = new OffscreenCanvas(width, height)
    this.#painter = this.#newPainter()
    this.#canvas.width = width
    this.#canvas.height = height
    this.onSize()
  }

  async #room() {
    while (this.#painter.waitingFrames > maxWaiting) {
      await this.#drawn()
    }
  }

  #drawn() {
    return new Promise<void>((resolve) => {
      this.#wake = resolve
    })
  }

  #draw() {
    const { width, height } = this.#canvas
    this.#context.drawImage(this.#picture, 0, 0)
    if (this.#pointer) {
      const [x, y] = this.#pointer
      this.#context.beginPath()
      this.#context.arc(x * width, y * height, pointerRadius, 0, 2 * Math.PI)
      this.#context.lineWidth = 2
      this.#context.strokeStyle = '#ffffff'
      this.#context.fillStyle = this.#isPressed ? '#d9480fcc' : '#1c7ed699'
      this.#context.fill()
      this.#context.stroke()
    }
  }
}
