import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export interface LightDevice {
  id: string
  publicKey: string
}

export type FleetCommand =
  | { kind: 'create'; tenantId: string; first: number; count: number }
  /** Connects to one of the addresses, so many agents each second; lost agents reconnect as ours do. */
  | { kind: 'run'; urls: readonly string[]; perSecond: number }

interface Status {
  kind: 'status'
  /** Agents that have proved their device on their current connection. */
  proved: number
  /** Connections that ended after their agent was proved. */
  lost: number
  stored: number
}

export type FleetEvent = { kind: 'created'; devices: readonly LightDevice[] } | Status

/** A process may open 20,000 files on some machines. */
const maxPerProcess = 15_000

/** Many thousands of agents, in processes of their own. */
export class LightFleet implements Disposable {
  readonly devices: readonly LightDevice[]
  readonly #processes: readonly ChildProcess[]
  readonly #status = new Map<ChildProcess, Status>()

  private constructor(processes: readonly ChildProcess[], devices: readonly LightDevice[]) {
    this.#processes = processes
    this.devices = devices
    for (const child of processes) {
      child.on('message', (event: FleetEvent) => {
        if (event.kind === 'status') {
          this.#status.set(child, event)
        }
      })
    }
  }

  /** Creates agents, with the keys of devices that the server has to know. */
  static async create(count: number, tenantId: string): Promise<LightFleet> {
    const each = Math.ceil(count / Math.ceil(count / maxPerProcess))
    const processes: ChildProcess[] = []
    const devices: LightDevice[] = []
    for (let first = 0; first < count; first += each) {
      const child = fork(join(import.meta.dirname, 'light-fleet-process.ts'))
      processes.push(child)
      child.send({ kind: 'create', tenantId, first, count: Math.min(each, count - first) } satisfies FleetCommand)
      const [created] = (await once(child, 'message')) as [{ devices: readonly LightDevice[] }]
      devices.push(...created.devices)
    }
    return new LightFleet(processes, devices)
  }

  run(urls: readonly string[], perSecond: number): void {
    for (const child of this.#processes) {
      const share = perSecond / this.#processes.length
      child.send({ kind: 'run', urls, perSecond: share } satisfies FleetCommand)
    }
  }

  #sum(name: 'proved' | 'lost' | 'stored'): number {
    return [...this.#status.values()].reduce((sum, status) => sum + status[name], 0)
  }

  /** Agents that have proved their device on their current connection. */
  get proved(): number {
    return this.#sum('proved')
  }

  get lost(): number {
    return this.#sum('lost')
  }

  /** Reports that the servers have stored. */
  get stored(): number {
    return this.#sum('stored')
  }

  [Symbol.dispose](): void {
    this.#processes.forEach((child) => child.kill('SIGKILL'))
  }
}
