import type { PowerStateDto } from '../../shared/dtos/power-order.ts'

/** Power states that agents report on connecting, and whenever they change. */
export class PowerStates {
  /** By the connection of the agent. */
  readonly #states = new Map<string, PowerStateDto>()

  report(connectionId: string, state: PowerStateDto): void {
    this.#states.set(connectionId, state)
  }

  forget(connectionId: string): void {
    this.#states.delete(connectionId)
  }

  /** Undefined for agents of other makes, and for devices that are offline. */
  stateOf(connectionId: string): PowerStateDto | undefined {
    return this.#states.get(connectionId)
  }
}
