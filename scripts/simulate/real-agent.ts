import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devices } from '../../shared/api/devices.ts'
import { installerKeys } from '../../shared/api/installer-keys.ts'
import { createClient } from '../../shared/contract/client.ts'
import type { Account } from './fleet.ts'

const agentProgram = join(import.meta.dirname, '..', '..', 'dist', 'agent', 'main.js')
const pollMs = 100

/** The built agent on this machine, registered and online while `work` runs. */
export async function withRealAgent<T>(
  url: string,
  account: Account,
  work: (deviceId: string, pid: number) => Promise<T>,
): Promise<T> {
  const { tenantId, fetch } = account
  const key = await createClient(installerKeys, { baseUrl: url, fetch }).create({
    body: { tenantId, keyType: 'UsageBased', allowedUses: 1 },
  })
  const directory = await mkdtemp(join(tmpdir(), 'farhand-agent-'))
  const options = ['-s', url, '-t', tenantId, '-ki', key.id, '-ks', key.keySecret, '--data-dir', directory]
  const agent = spawn(process.execPath, [agentProgram, 'run', ...options], { stdio: ['ignore', 'ignore', 'inherit'] })
  try {
    const client = createClient(devices, { baseUrl: url, fetch })
    for (;;) {
      const device = (await client.list({})).find(({ isOnline }) => isOnline)
      if (device) {
        return await work(device.id, agent.pid ?? 0)
      }
      if (agent.exitCode !== null) {
        throw new Error(`The agent ended with status ${agent.exitCode}.`)
      }
      await new Promise((resolve) => setTimeout(resolve, pollMs))
    }
  } finally {
    agent.kill('SIGTERM')
    await once(agent, 'exit')
    await rm(directory, { recursive: true, force: true })
  }
}
