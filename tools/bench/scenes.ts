import { Connection } from '../../agent/platform/linux/x11/connection.ts'
import type { Client } from '../../agent/platform/linux/x11/protocol.ts'

/** X11 requests used for drawing. */
interface Painter extends Client {
  /** Source, target, context; x and y in the source, and in the target; width and height. */
  CopyArea(...numbers: readonly number[]): void
  OpenFont(font: number, name: string): void
  PolyText8(drawable: number, gc: number, x: number, y: number, texts: readonly string[]): void
  PolyFillRectangle(drawable: number, gc: number, boxes: readonly number[]): void
}

const zPixmap = 2
const inputOutput = 1
const white = 0xffffff
const black = 0x000000
const cell = { width: 9, height: 15 }
/** Step number drawn in the upper left corner, in blocks as large as the encoder's. */
const stampBlock = 8
export const stamp = { width: 8 * stampBlock, height: stampBlock }
export const stampNumbers = 256
const source = 'const regions = planned.filter(({ area }) => differs(area)).map(encode) // The quick brown fox jumps. '

/** Draws the given step of a scene. */
type Draw = (step: number) => void

export interface Stage extends Disposable {
  scenes: Record<'typing' | 'scrolling' | 'motion', Draw>
  /** Clears the stage before a scene. */
  clear: () => void
}

/** Photograph-like picture: soft shapes and a little noise. */
function photograph(width: number, height: number): Buffer {
  const pixels = Buffer.alloc(width * height * 4)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const grain = (Math.imul(x * 7919 + y * 104_729, 2_654_435_761) >>> 28) & 15
      const at = (y * width + x) * 4
      pixels[at] = 100 + 80 * Math.sin(x / 37 + y / 91) + grain
      pixels[at + 1] = 120 + 90 * Math.sin(x / 53 - y / 29) + grain
      pixels[at + 2] = 110 + 70 * Math.sin((x * y) / 40_000) + grain
    }
  }
  return pixels
}

/** Opens a window that fills a display of this size. Our own X11 program knows the time of each picture. */
export async function openStage(display: string, width: number, height: number): Promise<Stage> {
  const connection = await Connection.open({ display })
  const { root, screen } = connection
  const client = connection.client as Painter
  const depth = screen.root_depth
  const [window, gc, inverse, font] = [client.AllocID(), client.AllocID(), client.AllocID(), client.AllocID()]
  const pixmap = (columns: number, rows: number) => {
    const id = client.AllocID()
    client.CreatePixmap(id, root, depth, columns, rows)
    return id
  }
  client.CreateWindow(window, root, 0, 0, width, height, 0, 0, inputOutput, 0, {
    backgroundPixel: white,
    overrideRedirect: 1,
  })
  client.MapWindow(window)
  client.OpenFont(font, 'fixed')
  client.CreateGC(gc, window, { foreground: black, background: white, font, graphicsExposures: 0 })
  client.CreateGC(inverse, window, { foreground: white, background: black, graphicsExposures: 0 })

  const page = pixmap(width, height * 2)
  client.PolyFillRectangle(page, inverse, [0, 0, width, height * 2])
  for (let row = 0; row * cell.height < height * 2; row++) {
    const line = source.slice(row % 40) + source.slice(0, row % 23)
    client.PolyText8(page, gc, (row % 5) * 20, row * cell.height + 12, [line, line.slice(0, (row * 13) % 90)])
  }
  const margin = 256
  const photo = pixmap(width + margin, height + margin)
  const pixels = photograph(width + margin, height + margin)
  const stride = (width + margin) * 4
  for (let y = 0; y < height + margin; y += 16) {
    const rows = Math.min(16, height + margin - y)
    const part = pixels.subarray(y * stride, (y + rows) * stride)
    client.PutImage(zPixmap, photo, gc, width + margin, rows, 0, y, 0, depth, part)
  }

  const stampPixmap = pixmap(stamp.width, stamp.height)
  const stamped = (draw: Draw) => (step: number) => {
    draw(step)
    client.PolyFillRectangle(stampPixmap, inverse, [0, 0, stamp.width, stamp.height])
    for (let bit = 0; bit < 8; bit++) {
      if ((step >> bit) & 1) {
        client.PolyFillRectangle(stampPixmap, gc, [bit * stampBlock, 0, stampBlock, stampBlock])
      }
    }
    client.CopyArea(stampPixmap, window, gc, 0, 0, 0, 0, stamp.width, stamp.height)
  }
  const columns = Math.floor(width / cell.width) - 20
  const lines = Math.floor(height / cell.height) - 4
  await connection.flush()
  return {
    scenes: {
      typing: stamped((step) => {
        const line = 2 + (Math.floor(step / columns) % lines)
        const letter = source[step % source.length] ?? ' '
        client.PolyText8(window, gc, (10 + (step % columns)) * cell.width, line * cell.height + 12, [letter])
      }),
      scrolling: stamped((step) => {
        client.CopyArea(page, window, gc, 0, (step * 5) % height, 0, stamp.height, width, height - stamp.height)
      }),
      motion: stamped((step) => {
        const x = Math.round(127 + 120 * Math.sin(step / 17))
        const y = Math.round(127 + 120 * Math.cos(step / 23))
        client.CopyArea(photo, window, gc, x, y, 0, stamp.height, width, height - stamp.height)
      }),
    },
    clear: () => client.PolyFillRectangle(window, inverse, [0, 0, width, height]),
    [Symbol.dispose]: () => connection.close(),
  }
}
