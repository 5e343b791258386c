import type { MouseButton } from '../../../../../shared/remote-control/values.ts'
import type { PointerDevice } from '../../../desktop/ordered-input.ts'
import { axes, linuxButtons } from '../input-events.ts'
import type { Connection, WaylandObject } from './connection.ts'
import { placeInLayout, type Outputs } from './outputs.ts'
import { virtualPointer, virtualPointerManager, type wlSeat } from './protocol.ts'

const wheelSource = 0
/** Distance of one notch, as compositors report real wheels. */
const notchDistance = 15

const now = () => Math.trunc(performance.now())

export class WlrootsPointer implements PointerDevice {
  readonly #outputs: Outputs
  readonly #object: WaylandObject<typeof virtualPointer>

  constructor(connection: Connection, seat: WaylandObject<typeof wlSeat>, outputs: Outputs) {
    this.#outputs = outputs
    const manager = connection.bind(virtualPointerManager)
    this.#object = connection.create(virtualPointer)
    manager.request('create_virtual_pointer', seat.id, this.#object.id)
  }

  move(x: number, y: number): boolean {
    const place = placeInLayout(this.#outputs.all(), x, y)
    if (place) {
      this.#object.request('motion_absolute', now(), place.x, place.y, place.width, place.height)
      this.#object.request('frame')
    }
    return place !== undefined
  }

  button(button: MouseButton, isPressed: boolean): void {
    this.#object.request('button', now(), linuxButtons[button], isPressed ? 1 : 0)
    this.#object.request('frame')
  }

  /** Wayland counts down and right. */
  turnWheel(axis: 'x' | 'y', notches: number): void {
    this.#object.request('axis_source', wheelSource)
    this.#object.request('axis_discrete', now(), axes[axis], -notches * notchDistance, -notches)
    this.#object.request('frame')
  }

  close(): void {
    this.#object.request('destroy')
  }
}
