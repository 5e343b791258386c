import { type PointerCursor, pointerCursor } from '../../../../shared/remote-control/values.ts'
import type { Cursor } from '../../desktop/desktop.ts'
import type { Connection } from './connection.ts'
import type { CursorImage, Fixes } from './protocol.ts'

/** Cursor names of X11, CSS and the Qt themes. */
const names: readonly (readonly [PointerCursor, string])[] = [
  [pointerCursor.NormalArrow, 'left_ptr default arrow top_left_arrow left_arrow'],
  [pointerCursor.Ibeam, 'xterm text ibeam vertical-text'],
  [
    pointerCursor.SizeNs,
    'sb_v_double_arrow v_double_arrow double_arrow ns-resize row-resize n-resize s-resize size_ver split_v top_side bottom_side',
  ],
  [
    pointerCursor.SizeWe,
    'sb_h_double_arrow h_double_arrow ew-resize col-resize e-resize w-resize size_hor split_h left_side right_side',
  ],
  [
    pointerCursor.SizeNwse,
    'bd_double_arrow nwse-resize nw-resize se-resize size_fdiag top_left_corner bottom_right_corner',
  ],
  [
    pointerCursor.SizeNesw,
    'fd_double_arrow nesw-resize ne-resize sw-resize size_bdiag top_right_corner bottom_left_corner',
  ],
  [pointerCursor.Wait, 'watch wait progress left_ptr_watch half-busy'],
  [pointerCursor.Hand, 'hand hand1 hand2 pointer pointing_hand'],
]

const shapes: ReadonlyMap<string, PointerCursor> = new Map(
  names.flatMap(([shape, list]) => list.split(' ').map((name) => [name, shape])),
)

const cursorChanges = 1

/** Converts BGRA with premultiplied alpha to RGBA. */
function toRgba(pixels: Buffer): Buffer {
  const rgba = Buffer.alloc(pixels.length)
  for (let at = 0; at < pixels.length; at += 4) {
    const alpha = pixels[at + 3] ?? 0
    const full = (channel: number) => (alpha === 0 ? 0 : Math.min(255, Math.round((channel * 255) / alpha)))
    rgba[at] = full(pixels[at + 2] ?? 0)
    rgba[at + 1] = full(pixels[at + 1] ?? 0)
    rgba[at + 2] = full(pixels[at] ?? 0)
    rgba[at + 3] = alpha
  }
  return rgba
}

/** Shape of the pointer, updated on each change. */
export class X11Cursor {
  onChange: () => void = () => undefined
  #current: Cursor = { shape: pointerCursor.Unknown }
  readonly #connection: Connection
  readonly #fixes: Fixes

  private constructor(connection: Connection, fixes: Fixes) {
    this.#connection = connection
    this.#fixes = fixes
  }

  static async open(connection: Connection): Promise<X11Cursor> {
    const fixes = await connection.extension('fixes')
    const cursor = new X11Cursor(connection, fixes)
    connection.listen(({ type }) => {
      if (type === fixes.firstEvent + 1) {
        void cursor.#read().then(
          () => cursor.onChange(),
          () => undefined,
        )
      }
    })
    fixes.SelectCursorInput(connection.root, cursorChanges)
    await cursor.#read()
    return cursor
  }

  get current(): Cursor {
    return this.#current
  }

  async #read() {
    const image = await this.#connection.ask<CursorImage>((callback) => this.#fixes.GetCursorImageAndName(callback))
    const shape = shapes.get(image.cursorName) ?? pointerCursor.Custom
    const { width, height, xhot: hotspotX, yhot: hotspotY, cursorImage } = image
    this.#current = {
      shape,
      image: { width, height, hotspotX, hotspotY, rgba: toRgba(cursorImage) },
    }
  }
}
