import type { Display, Rectangle } from '../../../desktop/desktop.ts'
import type { Connection, Global, WaylandObject } from './connection.ts'
import { wlOutput, xdgOutput, xdgOutputManager } from './protocol.ts'

const isCurrentMode = 1

/** Output of the compositor: a screen, or a virtual one. */
export interface Output {
  object: WaylandObject<typeof wlOutput>
  name: string
  /** Size of the picture that the compositor draws, before it is turned. */
  mode: { width: number; height: number }
  /** Turn and mirroring, as `wl_output.transform` numbers them. */
  transform: number
  /** Place in the layout, in the units that the compositor scales. */
  logical: Rectangle
}

const isTurnedSideways = (transform: number) => transform % 2 === 1

/** Size of the picture as the person sees it, in pixels. */
export const pixelSize = ({ mode: { width, height }, transform }: Output) =>
  isTurnedSideways(transform) ? { width: height, height: width } : { width, height }

/**
 * Displays of these outputs, in pixels. Outputs can have different scales, while positions have one unit: with the
 * largest scale no two displays overlap.
 */
export function displaysOf(outputs: readonly Output[]): Display[] {
  const scale = Math.max(...outputs.map((output) => pixelSize(output).width / output.logical.width))
  return outputs.map((output, index) => ({
    id: output.name,
    name: output.name,
    // Compositors of wlroots have no primary output.
    isPrimary: index === 0,
    bounds: {
      x: Math.round(output.logical.x * scale),
      y: Math.round(output.logical.y * scale),
      ...pixelSize(output),
    },
  }))
}

/** Unit of positions in the layout, finer than a pixel of the largest scale. */
const partsOfUnit = 64

/** Place of a pixel of the desktop in the layout, with the size of the layout; undefined beside all displays. */
export function placeInLayout(outputs: readonly Output[], x: number, y: number): Rectangle | undefined {
  const displays = displaysOf(outputs)
  const at = displays.findIndex(
    ({ bounds }) => x >= bounds.x && y >= bounds.y && x < bounds.x + bounds.width && y < bounds.y + bounds.height,
  )
  const [output, bounds] = [outputs[at], displays[at]?.bounds]
  if (!output || !bounds) {
    return undefined
  }
  const places = outputs.map(({ logical }) => logical)
  const [left, top] = [Math.min(...places.map((place) => place.x)), Math.min(...places.map((place) => place.y))]
  const along = (start: number, length: number, share: number) => Math.round((start + length * share) * partsOfUnit)
  return {
    // The middle of the pixel.
    x: along(output.logical.x - left, output.logical.width, (x - bounds.x + 0.5) / bounds.width),
    y: along(output.logical.y - top, output.logical.height, (y - bounds.y + 0.5) / bounds.height),
    width: (Math.max(...places.map((place) => place.x + place.width)) - left) * partsOfUnit,
    height: (Math.max(...places.map((place) => place.y + place.height)) - top) * partsOfUnit,
  }
}

type PendingOutput = Output & { isComplete: boolean }

/** Outputs of the compositor, kept up to date. */
export class Outputs {
  onChange: () => void = () => undefined
  readonly #connection: Connection
  readonly #manager: WaylandObject<typeof xdgOutputManager>
  readonly #outputs = new Map<number, PendingOutput>()
  readonly #removalListeners = new Set<(object: number) => void>()
  #displays: Display[] = []

  private constructor(connection: Connection) {
    this.#connection = connection
    this.#manager = connection.bind(xdgOutputManager)
    connection.globals.forEach((global) => this.#add(global))
    connection.onGlobal = (global) => this.#add(global)
    connection.onGlobalRemoved = (number) => {
      const output = this.#outputs.get(number)
      if (output) {
        this.#outputs.delete(number)
        this.#removalListeners.forEach((listener) => listener(output.object.id))
        connection.forget(output.object)
        this.#update()
      }
    }
  }

  static async open(connection: Connection): Promise<Outputs> {
    const outputs = new Outputs(connection)
    await connection.roundtrip()
    return outputs
  }

  displays(): readonly Display[] {
    return this.#displays
  }

  all(): readonly Output[] {
    return [...this.#outputs.values()].filter(({ isComplete }) => isComplete)
  }

  /** Calls `listener` with the object of each removed output, until the returned function is called. */
  watchRemoved(listener: (object: number) => void): () => void {
    this.#removalListeners.add(listener)
    return () => this.#removalListeners.delete(listener)
  }

  #add({ number, interfaceName }: Global) {
    if (interfaceName !== wlOutput.name) {
      return
    }
    const object = this.#connection.bind(
      wlOutput,
      {
        geometry: (...values) => {
          output.transform = values[7]
        },
        mode: (flags, width, height) => {
          if (flags & isCurrentMode) {
            output.mode = { width, height }
          }
        },
        done: () => {
          output.isComplete = output.mode.width > 0 && output.logical.width > 0
          this.#update()
        },
      },
      number,
    )
    const output: PendingOutput = {
      object,
      name: `output ${number}`,
      mode: { width: 0, height: 0 },
      transform: 0,
      logical: { x: 0, y: 0, width: 0, height: 0 },
      isComplete: false,
    }
    this.#outputs.set(number, output)
    const place = this.#connection.create(xdgOutput, {
      logical_position: (x, y) => {
        output.logical = { ...output.logical, x, y }
      },
      logical_size: (width, height) => {
        output.logical = { ...output.logical, width, height }
      },
      name: (name) => {
        output.name = name
      },
    })
    this.#manager.request('get_xdg_output', place.id, object.id)
  }

  #update() {
    const displays = displaysOf(this.all())
    // A change of one output is reported for each of them.
    if (JSON.stringify(displays) !== JSON.stringify(this.#displays)) {
      this.#displays = displays
      this.onChange()
    }
  }
}
