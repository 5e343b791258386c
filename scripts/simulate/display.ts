import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'

export interface SimulatedDisplay {
  /** Such as `:7`. */
  name: string
  stop(): Promise<void>
}

/** An X display in memory (Xvfb). */
export async function startDisplay({ width, height }: { width: number; height: number }): Promise<SimulatedDisplay> {
  const options = ['-displayfd', '3', '-screen', '0', `${width}x${height}x24`, '-noreset', '-nolisten', 'tcp']
  const server = spawn('Xvfb', options, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
  const [output] = (await once(server.stdio[3] as Readable, 'data')) as [Buffer]
  const stop = async () => {
    server.kill()
    await once(server, 'exit')
  }
  return { name: `:${output.toString().trim()}`, stop }
}
