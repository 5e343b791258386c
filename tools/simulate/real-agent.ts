import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { devices } from '../../shared/api/devices.ts'
import { installerKeys } from '../../shared/api/installer-keys.ts'
import { createClient } from '../../shared/contract/client.ts'
import { startChild } from './child-program.ts'
import type { Account } from './fleet.ts'

const builtAgent = join(import.meta.dirname, '..', '..', 'dist', 'agent', 'main.js')
const pollMs = 20

/** This machine, with the real agent in a separate process. */
export interface RealAgent extends AsyncDisposable {
  id: string
  readonly pid: number
  /** Settings and logs of the agent. */
  folder: string
  /** Paths below a temporary folder that is deleted with the agent. */
  path(...names: string[]): string
  output(): string
  /** Ends the agent with SIGKILL. */
  kill(): Promise<void>
  /** Restarts the agent on the same data, and waits until it is online. */
  restart(): Promise<void>
  stop(): Promise<void>
}

interface AgentStart {
  /** Program for Node: the source of the agent, or its build. */
  program: string
  /** Further command line arguments. */
  words?: readonly string[]
  /** Added to the environment of this process. */
  environment?: NodeJS.ProcessEnv
  /** Destination of stderr: captured in `output`, or inherited. */
  errors?: 'pipe' | 'inherit'
}

/** Registers this machine with the server at `url` and waits until it is online; the caller calls `stop`. */
export async function startRealAgent(
  url: string,
  { tenantId, fetch }: Pick<Account, 'tenantId' | 'fetch'>,
  { program, words = [], environment = {}, errors = 'pipe' }: AgentStart,
): Promise<RealAgent> {
  const keys = createClient(installerKeys, { baseUrl: url, fetch })
  const key = await keys.create({ body: { tenantId, keyType: 'Persistent' } })
  const directory = await mkdtemp(join(tmpdir(), 'farhand-device-'))
  const folder = join(directory, 'data')
  const options = ['-s', url, '-t', tenantId, '-ki', key.id, '-ks', key.keySecret, '--data-dir', folder, ...words]
  let output = ''
  const start = () => {
    const child = startChild([program, 'run', ...options], ['ignore', 'pipe', errors], {
      env: { ...process.env, ...environment },
    })
    child.stdout?.on('data', (text) => (output += text))
    child.stderr?.on('data', (text) => (output += text))
    return child
  }
  let agent = start()
  const end = async (signal: NodeJS.Signals) => {
    if (agent.exitCode === null && agent.signalCode === null) {
      agent.kill(signal)
      await once(agent, 'exit')
    }
  }
  const stop = async () => {
    await end('SIGTERM')
    await rm(directory, { recursive: true, force: true })
  }
  const client = createClient(devices, { baseUrl: url, fetch })
  /** Device id, once the device is online. */
  const online = async (): Promise<string> => {
    for (;;) {
      const deviceId = /deviceId=(\S+)/.exec(output)?.[1]
      const device = deviceId && (await client.get({ params: { deviceId } }).catch(() => undefined))
      if (device && device.isOnline) {
        return device.id
      }
      if (agent.exitCode !== null) {
        throw new Error(`The agent ended with status ${agent.exitCode}: ${output}`)
      }
      await sleep(pollMs)
    }
  }
  try {
    return {
      id: await online(),
      get pid() {
        return agent.pid ?? 0
      },
      folder,
      path: (...names) => join(directory, ...names),
      output: () => output,
      kill: () => end('SIGKILL'),
      async restart() {
        agent = start()
        await online()
      },
      stop,
      [Symbol.asyncDispose]: stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Starts the built agent on this machine, registered and online. */
export const startBuiltAgent = (url: string, account: Account): Promise<RealAgent> =>
  startRealAgent(url, account, { program: builtAgent, errors: 'inherit' })
