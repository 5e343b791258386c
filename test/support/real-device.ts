import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installerKey } from './agent.ts'
import type { Member } from './server.ts'
import { until } from './until.ts'

const main = new URL('../../agent/main.ts', import.meta.url).pathname

/** This machine, with the real agent in a process of its own. */
export interface RealDevice {
  id: string
  pid: number
  /** Its settings and logs. */
  folder: string
  /** Paths below a folder of the test that goes with the device. */
  path(...names: string[]): string
  output(): string
  /** Ends the agent with SIGKILL. */
  kill(): Promise<void>
  /** Starts it again on the same data, and waits until it is online. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** Registers this machine and waits until it is online; `stop` it. Its agent runs in this environment, and in `environment`. */
export async function startRealDevice(owner: Member, environment: NodeJS.ProcessEnv = {}): Promise<RealDevice> {
  const folder = mkdtempSync(join(tmpdir(), 'farhand-device-'))
  const key = await installerKey(owner)
  const options = ['-s', owner.url, '-t', owner.tenantId, '-ki', key.id, '-ks', key.keySecret, '--as-service']
  const dataDir = join(folder, 'data')
  let output = ''
  const start = () => {
    const env = { ...process.env, ...environment }
    const child = spawn(process.execPath, [main, 'run', '--data-dir', dataDir, ...options], { env })
    child.stdout.on('data', (text) => (output += text))
    child.stderr.on('data', (text) => (output += text))
    return child
  }
  let agent = start()
  const end = async (signal: NodeJS.Signals) => {
    if (agent.exitCode === null && agent.signalCode === null) {
      agent.kill(signal)
      await once(agent, 'exit')
    }
  }
  const id = await until(async () => {
    if (agent.exitCode !== null) {
      throw new Error(`The agent ended: ${output}`)
    }
    return /deviceId=(\S+)/.exec(output)?.[1]
  })
  const online = async () => (await owner.devices.get({ params: { deviceId: id } }).catch(() => undefined))?.isOnline
  await until(online)
  const device: RealDevice = {
    id,
    pid: agent.pid!,
    folder: dataDir,
    path: (...names) => join(folder, ...names),
    output: () => output,
    kill: () => end('SIGKILL'),
    async restart() {
      agent = start()
      device.pid = agent.pid!
      await until(online)
    },
    async stop() {
      await end('SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return device
}
