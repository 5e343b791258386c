import { decodeEnvelope, decodePayload } from '../../shared/remote-control/codec.ts'
import { allDisplays } from '../../shared/remote-control/values.ts'
import { spanOf } from '../../shared/remote-control/span.ts'
import { nameOf, type DisplayDto, type Payload, type ScreenRegionDto } from '../../shared/remote-control/messages.ts'
import type { RecordedInput } from '../../shared/dtos/recording.ts'
import { recordingEntries } from '../../shared/recording-entries.ts'
import type { Mark } from './block-file.ts'
import { nameOfKey } from './key-names.ts'
import { MessageAssembly, type AssemblyMemory, type AssemblyOwner } from './message-assembly.ts'
import type { SegmentBuilder } from './segments.ts'

/**
 * Limits of the relay, and of the texts that agents type, which have 100,000 characters. Pages send longer clipboards only;
 * a larger limit would let viewers take the memory for the pictures of their device.
 */
const maxDeviceBytes = 64 * 1024 * 1024
const maxViewerBytes = 512 * 1024
/** A pointer picture above this is left out: every segment that begins with a whole picture repeats it. */
const maxCursorBytes = 256 * 1024
const markEveryMs = 1_000
const maxName = 100
/** Deeds of the viewer before the first picture: more are left out, with a mark. */
const maxEarly = 200

interface ScreenTapOptions {
  builder: SegmentBuilder
  /** Milliseconds since the start of the recorder. */
  now: () => number
  /** Whether the device accepts input of the viewer. */
  canInteract: boolean
  /** Memory for unfinished messages. */
  assembly: AssemblyMemory
  owner: AssemblyOwner
}

/**
 * Reads what the relay passes on in a remote-control session. Pictures are stored as the device sent them; of the
 * viewer, what it did without what it typed, and that it sent a message too long to read: devices act on it. Everything else
 * is left out: clipboards may hold passwords.
 */
export class ScreenTap {
  readonly #options: ScreenTapOptions
  readonly #fromDevice: MessageAssembly
  readonly #fromViewer: MessageAssembly
  #displays: readonly DisplayDto[] = []
  #shownId: string | undefined
  /** Last shape of the pointer. */
  #cursor: Buffer | undefined
  /** False until the first whole picture. */
  #hasPicture = false
  /** Deeds of the viewer that wait for the first picture: devices act on input before they have sent one. */
  #early: (() => void)[] = []
  /** Time of the last mark of each kind that is set once a second at most. */
  readonly #markedAt = new Map<Mark['kind'], number>()

  constructor(options: ScreenTapOptions) {
    this.#options = options
    this.#fromDevice = new MessageAssembly(maxDeviceBytes, options.assembly, options.owner)
    this.#fromViewer = new MessageAssembly(maxViewerBytes, options.assembly, options.owner, () => {
      if (options.canInteract) {
        this.#mark('unread')
      }
    })
  }

  /** Records what still waits for a picture, and releases the memory of unfinished messages. */
  close(): void {
    this.#addEarly()
    this.#fromDevice.close()
    this.#fromViewer.close()
  }

  /** Takes a piece of a message; its bytes are not used after the call. */
  take(from: 'requester' | 'responder', piece: Buffer, isLast: boolean): void {
    const message = (from === 'responder' ? this.#fromDevice : this.#fromViewer).add(piece, isLast)
    if (!message || message.length === 0) {
      return
    }
    try {
      const { dtoType, payload } = decodeEnvelope(message)
      if (from === 'responder') {
        this.#takeDevice(dtoType, payload, message)
      } else {
        this.#takeViewer(dtoType, payload)
      }
    } catch {
      // Its receiver ends the session for a message that cannot be decoded.
    }
  }

  #takeDevice(dtoType: number, payload: Uint8Array, message: Buffer) {
    switch (nameOf(dtoType)) {
      case 'ScreenRegions':
        this.#takeFrame(decodePayload('ScreenRegions', payload).regions, message)
        break
      case 'ScreenRegion':
        this.#takeFrame([decodePayload('ScreenRegion', payload)], message)
        break
      case 'DisplayData':
        this.#displays = decodePayload('DisplayData', payload).displays
        break
      case 'CursorChanged':
        if (message.length <= maxCursorBytes) {
          this.#cursor = Buffer.from(message)
          this.#add(message)
        }
        break
      case 'DisplayShown':
        this.#changeDisplays(decodePayload('DisplayShown', payload))
        break
      case 'WindowsSessionSwitched':
        this.#mark('desktop-switch')
        break
      default:
    }
  }

  #add(message: Buffer) {
    if (this.#hasPicture) {
      this.#options.builder.add(recordingEntries.device, this.#options.now(), message)
    }
  }

  #takeFrame(regions: readonly ScreenRegionDto[], message: Buffer) {
    // The first picture of a session is all that the viewer sees, whatever its size.
    const canBegin = !this.#hasPicture || this.#isWhole(regions)
    if (canBegin && this.#options.builder.beginKey(this.#options.now())) {
      this.#hasPicture = true
      this.#addState(regions)
      this.#addEarly()
    }
    this.#add(message)
  }

  /** Size of the picture that the viewer asked for; undefined before the device has listed its displays. */
  #shownSize() {
    if (this.#shownId === allDisplays && this.#displays.length > 0) {
      return spanOf(this.#displays)
    }
    const first = this.#displays.find(({ isPrimary }) => isPrimary) ?? this.#displays[0]
    return (this.#displays.find(({ displayId }) => displayId === this.#shownId) ?? first)?.capturePixelSize
  }

  #isWhole(regions: readonly ScreenRegionDto[]) {
    const { width, height } = this.#shownSize() ?? { width: 0, height: 0 }
    const drawn = regions.reduce((sum, region) => sum + region.width * region.height, 0)
    return width > 0 && drawn >= width * height
  }

  #addState(regions: readonly ScreenRegionDto[]) {
    if (this.#cursor) {
      this.#add(this.#cursor)
    }
    const { width, height } = this.#shownSize() ?? extentOf(regions)
    this.#addInput({ width, height })
  }

  #takeViewer(dtoType: number, payload: Uint8Array) {
    const name = nameOf(dtoType)
    if (name === 'ChangeDisplays') {
      this.#changeDisplays(decodePayload(name, payload))
      return
    }
    if (!this.#options.canInteract) {
      return
    }
    switch (name) {
      case 'MovePointer':
      case 'WheelScroll':
        this.#point(decodePayload(name, payload))
        break
      case 'MouseButtonEvent':
        this.#point(decodePayload(name, payload))
        break
      case 'MouseClick':
        this.#point({ ...decodePayload(name, payload), isPressed: true })
        break
      case 'KeyEvent':
        this.#press(decodePayload(name, payload))
        break
      case 'TypeText':
        this.#markOnce('typed')
        break
      case 'ClipboardText':
      case 'ClipboardFiles':
      case 'ClipboardPicture':
        this.#markOnce('clipboard')
        break
      case 'ToggleBlockInput':
        this.#mark('block-input')
        break
      case 'TogglePrivacyScreen':
        this.#mark('privacy-screen')
        break
      default:
    }
  }

  #changeDisplays({ displayId }: { displayId: string }) {
    const display = this.#displays.find((each) => each.displayId === displayId)
    if (display || displayId === allDisplays) {
      this.#shownId = displayId
      this.#mark('display', display?.name)
    }
  }

  #point(place: { normalizedX: number; normalizedY: number; button?: number; isPressed?: boolean }) {
    const { normalizedX, normalizedY, button, isPressed } = place
    const round = (value: number) => Math.round(Math.min(1, Math.max(0, value)) * 1e4) / 1e4
    this.#addInput({
      at: [round(normalizedX), round(normalizedY)],
      ...(button !== undefined && { button }),
      ...(isPressed !== undefined && { isPressed }),
    })
  }

  #press(event: Payload<'KeyEvent'>) {
    const name = event.isPressed ? nameOfKey(event) : ''
    if (name === undefined) {
      this.#markOnce('typed')
    } else if (name !== '') {
      this.#mark('key', name)
    }
  }

  /** Sets a single mark for many characters, whose number would tell the length of a password, and for many parts. */
  #markOnce(kind: Mark['kind']) {
    const now = this.#options.now()
    if (now - (this.#markedAt.get(kind) ?? Number.NEGATIVE_INFINITY) >= markEveryMs) {
      this.#markedAt.set(kind, now)
      this.#mark(kind)
    }
  }

  #mark(kind: Mark['kind'], text = '') {
    const { builder, now } = this.#options
    const name = text.slice(0, maxName)
    this.#whenShown(() => builder.mark({ at: now(), kind, text: name }))
  }

  #addInput(input: RecordedInput) {
    const { builder, now } = this.#options
    this.#whenShown(() => builder.add(recordingEntries.viewer, now(), Buffer.from(JSON.stringify(input))))
  }

  #whenShown(record: () => void) {
    if (this.#hasPicture) {
      record()
    } else if (this.#early.length <= maxEarly) {
      this.#early.push(record)
    }
  }

  #addEarly() {
    const { builder, now } = this.#options
    this.#early.slice(0, maxEarly).forEach((record) => record())
    if (this.#early.length > maxEarly) {
      builder.mark({ at: now(), kind: 'left-out', text: '' })
    }
    this.#early = []
  }
}

/** Size of the picture that regions draw, for a device that has not listed its displays. */
const extentOf = (regions: readonly ScreenRegionDto[]) => ({
  width: regions.reduce((most, { x, width }) => Math.max(most, Math.ceil(x + width)), 0),
  height: regions.reduce((most, { y, height }) => Math.max(most, Math.ceil(y + height)), 0),
})
