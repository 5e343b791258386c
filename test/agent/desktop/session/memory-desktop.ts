import type {
  Capture,
  Cursor,
  Desktop,
  DesktopSound,
  DesktopSwitch,
  Display,
  KeyPress,
  Notice,
  Rectangle,
  Screen,
} from '../../../../agent/platform/desktop/desktop.ts'
import { noSwitch } from '../../../../agent/platform/desktop/switches.ts'
import { pointerCursor } from '../../../../shared/remote-control/values.ts'

export type Color = readonly [red: number, green: number, blue: number]

const bytesPerPixel = 4
/** Bytes after each row, as on real screens. */
const padding = 8

export class MemoryScreen implements Screen {
  readonly pixels: Buffer
  readonly #visible: Buffer
  readonly stride: number
  readonly #size: Rectangle
  #areas: Rectangle[] = []
  #isTold = false
  isClosed = false
  captures = 0
  /** Rejects captures when set. */
  failure: string | undefined
  onChange = () => {}

  constructor(size: Rectangle, visible: Buffer) {
    this.#size = size
    this.#visible = visible
    this.stride = (size.width + padding) * bytesPerPixel
    this.pixels = Buffer.alloc(this.stride * size.height)
  }

  change(area: Rectangle): void {
    this.#areas.push(area)
    if (!this.#isTold) {
      this.#isTold = true
      this.onChange()
    }
  }

  capture(isWhole: boolean): Promise<Capture> {
    if (this.failure !== undefined) {
      return Promise.reject(new Error(this.failure))
    }
    this.captures++
    this.#visible.copy(this.pixels)
    const { width, height } = this.#size
    const areas = isWhole ? [{ x: 0, y: 0, width, height }] : this.#areas
    this.#areas = []
    this.#isTold = false
    return Promise.resolve({ picture: { width, height, pixels: this.pixels, stride: this.stride }, areas })
  }

  close(): void {
    this.isClosed = true
  }
}

/** Switch that the test implements. */
export const memorySwitch = (set: DesktopSwitch['set']): DesktopSwitch => ({
  obstacle: undefined,
  set,
  onEnd: () => undefined,
})

/** In-memory desktop: tests draw on the desktop, and read the recorded input. */
export class MemoryDesktop implements Desktop {
  captureMode = 'Memory'
  shown: Display[]
  readonly screens: MemoryScreen[] = []
  readonly actions: unknown[] = []
  readonly notices: { text: string; label: string; end: () => void; isClosed: boolean }[] = []
  clipboardText: string | null = null
  clipboardPicture: Buffer | null = null
  clipboardFiles: readonly string[] | null = null
  shape: Cursor = { shape: pointerCursor.NormalArrow }
  isClosed = false
  openFailure: string | undefined
  /** Resolves pending text input. */
  typing: Promise<void> = Promise.resolve()
  blockInput = noSwitch('This desktop blocks no input.')
  blankScreens = noSwitch('This desktop blanks no screens.')
  sound?: DesktopSound
  onDisplaysChanged = () => {}
  onCursorChanged = () => {}
  onEnd: (reason: string) => void = () => {}
  readonly #visible = new Map<string, Buffer>()

  readonly input = {
    movePointer: (x: number, y: number) => void this.actions.push(['move', x, y]),
    setButton: (button: number, isPressed: boolean) => void this.actions.push(['button', button, isPressed]),
    scroll: (x: number, y: number) => void this.actions.push(['scroll', x, y]),
    setKey: (press: KeyPress) => void this.actions.push(['key', press]),
    typeText: (text: string) => {
      this.actions.push(['type', text])
      return this.typing
    },
    releaseAll: () => void this.actions.push(['release']),
  }

  readonly clipboard = {
    onChange: () => {},
    readText: () => Promise.resolve(this.clipboardText),
    writeText: (text: string) => {
      this.clipboardText = text
      return Promise.resolve()
    },
    pictures: {
      read: () => Promise.resolve(this.clipboardPicture),
      write: (png: Buffer) => {
        this.clipboardPicture = png
        return Promise.resolve()
      },
    },
    files: {
      read: () => Promise.resolve(this.clipboardFiles),
      write: (paths: readonly string[]) => {
        this.clipboardFiles = paths
        return Promise.resolve()
      },
    },
  }

  constructor(...sizes: readonly (readonly [width: number, height: number])[]) {
    let x = 0
    this.shown = sizes.map(([width, height], index) => {
      const bounds = { x, y: 0, width, height }
      x += width
      return { id: `display-${index}`, name: `Display ${index}`, isPrimary: index === 0, bounds }
    })
  }

  displays = () => this.shown

  openScreen(display: Display): Promise<Screen> {
    if (this.openFailure !== undefined) {
      return Promise.reject(new Error(this.openFailure))
    }
    const screen = new MemoryScreen(display.bounds, this.visible(display))
    this.screens.push(screen)
    return Promise.resolve(screen)
  }

  /** Screen that was opened last. */
  get screen(): MemoryScreen {
    const screen = this.screens.at(-1)
    if (!screen) {
      throw new Error('No screen was opened.')
    }
    return screen
  }

  visible({ id, bounds }: Display): Buffer {
    const pixels = this.#visible.get(id) ?? Buffer.alloc((bounds.width + padding) * bytesPerPixel * bounds.height)
    this.#visible.set(id, pixels)
    return pixels
  }

  /** Draws on a display; with `isReported` false, changes pixels without an event. */
  fill(area: Rectangle, color: (x: number, y: number) => Color, display = 0): void {
    const target = this.shown[display]
    if (!target) {
      throw new Error('There is no such display.')
    }
    const pixels = this.visible(target)
    const stride = (target.bounds.width + padding) * bytesPerPixel
    for (let y = area.y; y < area.y + area.height; y++) {
      for (let x = area.x; x < area.x + area.width; x++) {
        const [red, green, blue] = color(x, y)
        const at = y * stride + x * bytesPerPixel
        pixels[at] = blue
        pixels[at + 1] = green
        pixels[at + 2] = red
      }
    }
    this.screens.filter(({ isClosed }) => !isClosed).forEach((screen) => screen.change(area))
  }

  cursor = () => this.shape
  /** Position of the pointer. */
  place = { x: 0, y: 0 }
  pointer = () => Promise.resolve(this.place)

  showNotice(text: string, label: string, end: () => void): Notice {
    const notice = { text, label, end, isClosed: false }
    this.notices.push(notice)
    return { close: () => (notice.isClosed = true) }
  }

  close(): void {
    this.isClosed = true
  }
}
