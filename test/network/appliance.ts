import { join } from 'node:path'
import { serverProgram } from '../support/built-programs.ts'
import type { Host, HostProgram, Network } from '../support/network-hosts.ts'
import { until } from '../support/until.ts'

/** Server on a host, with its own window on loopback. */
export class Appliance {
  readonly host: Host
  /** Address on this machine that leads to the server's loopback. */
  readonly url: string
  readonly #directory: string
  #program: HostProgram | undefined

  private constructor(host: Host, url: string) {
    this.host = host
    this.url = url
    this.#directory = join(host.folder, 'data')
  }

  static async on(network: Network, host: Host, port = 5120): Promise<Appliance> {
    return new Appliance(host, await network.window(host, port))
  }

  /** Starts the server on its data; `settings` are keys without prefix. */
  async start(settings: Record<string, string> = {}): Promise<void> {
    const all = { DataDirectory: this.#directory, ...settings }
    const environment = Object.fromEntries(Object.entries(all).map(([key, value]) => [`Service_${key}`, value]))
    const program = this.host.start([process.execPath, serverProgram], environment)
    this.#program = program
    const failed = program.ended.then(({ output }) => Promise.reject(new Error(`The server ended: ${output}`)))
    await Promise.race([until(() => program.output().includes('Listening on ')), failed])
  }

  async stop(): Promise<void> {
    this.#program?.signal('SIGTERM')
    await this.#program?.ended
  }

  /** Output since the last start. */
  output(): string {
    return this.#program?.output() ?? ''
  }
}
