import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { agentFolder, startWindows, windowsPath, wineFolder } from '../../tools/wine/wine.ts'
import { installerKey } from '../support/agent.ts'
import type { Member } from '../support/server.ts'
import { until } from '../support/until.ts'

/** Windows agent in Wine. */
export interface WindowsDevice {
  id: string
  /** Windows path of the data folder, new for each device. */
  dataFolder: string
  output(): string
  stop(): Promise<void>
}

/** Registers the agent for Windows and waits until it is online. */
export async function startWindowsDevice(owner: Member, display: string): Promise<WindowsDevice> {
  const key = await installerKey(owner)
  // A new process per call: the query for existing ones needs PowerShell, which Wine lacks.
  const name = `farhand-${randomUUID().slice(0, 8)}`
  const dataFolder = `C:\\${name}`
  const log = path.join(wineFolder, `${name}.log`)
  const program = [path.join(agentFolder, 'node.exe'), windowsPath(path.join(agentFolder, 'main.js')), 'run']
  const options = ['-s', owner.url, '-t', owner.tenantId, '-ki', key.id, '-ks', key.keySecret]
  const agent = startWindows([...program, ...options, '--data-dir', dataFolder, '--as-service'], log, display)
  const output = () => readFileSync(log, 'utf8')
  const id = await until(() => {
    if (agent.exitCode !== null) {
      throw new Error(`The agent ended: ${output()}`)
    }
    return /deviceId=(\S+)/.exec(output())?.[1]
  })
  await until(async () => (await owner.devices.get({ params: { deviceId: id } }).catch(() => undefined))?.isOnline)
  return {
    id,
    dataFolder,
    output,
    async stop() {
      if (agent.exitCode === null) {
        agent.kill('SIGKILL')
        await once(agent, 'exit')
      }
    },
  }
}
