import { UserError } from '../../../base/errors.ts'
import { mergeAreas } from '../../desktop/areas.ts'
import { changedTiles } from '../../desktop/changed-tiles.ts'
import type { Capture, Display, Picture, Rectangle, Screen } from '../../desktop/desktop.ts'
import { GdiBitmap } from './gdi-bitmap.ts'
import { drawing, escapeXml, pixelsOf } from '../../desktop/drawing.ts'

const lineLength = 60
const fontSize = 20
const lineHeight = 30
const font = `font-family="system-ui, 'Segoe UI', sans-serif" font-size="${fontSize}" fill="#f9fafb" text-anchor="middle"`

const inLines = (text: string): readonly string[] =>
  text.match(new RegExp(`.{1,${lineLength}}(?:\\s|$)`, 'g')) ?? [text]

/** Placeholder shown while the screen cannot be captured. */
export async function placeholder(
  text: string,
  { width, height }: { width: number; height: number },
): Promise<Picture> {
  const lines = inLines(text)
  const top = height / 2 - (lines.length * lineHeight) / 2 + fontSize
  const content = lines.map(
    (line, at) => `<text x="${width / 2}" y="${top + at * lineHeight}" ${font}>${escapeXml(line)}</text>`,
  )
  const background = `<rect width="${width}" height="${height}" fill="#1f2937"/>`
  const pixels = await pixelsOf(drawing(width, height, background + content.join('')))
  return { width, height, stride: width * 4, pixels }
}

const bytesPerPixel = 4
/** Polling interval: GDI does not report drawing. */
const lookEveryMs = 50
/** While the screen is hidden: its pictures come from another process as a whole. */
const lookHiddenEveryMs = 250

/** Stands in for the screen while programs of the person do not see it. */
export interface HiddenScreen {
  /** Reason why the screen is hidden at present; undefined otherwise. */
  reason(): string | undefined
  /** Resolves with the rows of what the person sees instead. Rejects with a UserError if that is not possible. */
  capture(area: Rectangle): Promise<Buffer>
}

const rowsOf = ({ y, height }: Rectangle, stride: number) => [y * stride, (y + height) * stride] as const

/** Copies one display with GDI each time, and compares with the previous capture. */
export class GdiScreen implements Screen {
  onChange: () => void = () => undefined
  onClose: () => void = () => undefined
  readonly #display: Display
  readonly #hidden: HiddenScreen
  /** Used only during a capture. */
  readonly #drawn: GdiBitmap
  readonly #picture: Picture
  /** Text that is drawn in place of the screen. */
  #shownReason: string | undefined
  #wasHidden = false
  #looking: NodeJS.Timeout | undefined
  #isClosed = false

  private constructor(display: Display, hidden: HiddenScreen, drawn: GdiBitmap) {
    this.#display = display
    this.#hidden = hidden
    this.#drawn = drawn
    const { width, height, stride } = drawn.picture
    this.#picture = { width, height, stride, pixels: Buffer.alloc(stride * height) }
  }

  static async open(display: Display, hidden: HiddenScreen): Promise<GdiScreen> {
    const { width, height } = display.bounds
    return new GdiScreen(display, hidden, await GdiBitmap.create(width, height))
  }

  async capture(isWhole: boolean): Promise<Capture> {
    if (this.#isClosed) {
      throw new UserError('This screen is closed.')
    }
    const reason = this.#hidden.reason()
    const isHidden = reason !== undefined
    const isWholeNeeded = isWhole || this.#wasHidden !== isHidden
    this.#wasHidden = isHidden
    const areas = isHidden ? await this.#captureHidden(reason, isWholeNeeded) : this.#copy(isWholeNeeded)
    clearTimeout(this.#looking)
    const pauseMs = isHidden ? lookHiddenEveryMs : lookEveryMs
    this.#looking = this.#isClosed ? undefined : setTimeout(() => this.onChange(), pauseMs).unref()
    return { picture: this.#picture, areas }
  }

  close(): void {
    if (!this.#isClosed) {
      this.#isClosed = true
      clearTimeout(this.#looking)
      this.#drawn.close()
      this.onClose()
    }
  }

  get #whole(): Rectangle {
    return { x: 0, y: 0, width: this.#picture.width, height: this.#picture.height }
  }

  #copy(isWhole: boolean): Rectangle[] {
    const { x, y } = this.#display.bounds
    if (!this.#drawn.copyScreen(x, y)) {
      throw new UserError(`Windows does not show ${this.#display.name} to this program.`)
    }
    this.#shownReason = undefined
    return this.#take(this.#drawn.picture, isWhole)
  }

  /** Takes over what differs in a newer picture. */
  #take(newer: Picture, isWhole: boolean): Rectangle[] {
    const areas = isWhole ? [this.#whole] : mergeAreas(changedTiles(this.#picture, newer))
    for (const area of areas) {
      const [start, end] = rowsOf(area, this.#picture.stride)
      newer.pixels.copy(this.#picture.pixels, start, start, end)
    }
    return areas
  }

  async #captureHidden(reason: string, isWhole: boolean): Promise<Rectangle[]> {
    const { width, height } = this.#picture
    try {
      const pixels = await this.#hidden.capture(this.#display.bounds)
      const isFirst = isWhole || this.#shownReason !== undefined
      this.#shownReason = undefined
      return this.#take({ width, height, stride: width * bytesPerPixel, pixels }, isFirst)
    } catch (error) {
      return await this.#drawReason(`${reason} ${(error as Error).message}`, isWhole)
    }
  }

  async #drawReason(reason: string, isWhole: boolean): Promise<Rectangle[]> {
    if (!isWhole && this.#shownReason === reason) {
      return []
    }
    const { pixels } = await placeholder(reason, this.#picture)
    pixels.copy(this.#picture.pixels)
    this.#shownReason = reason
    return [this.#whole]
  }
}
