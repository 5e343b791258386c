/** Installer, service and uninstall of Windows, by the commands of the Deploy page, in Wine 10 with PowerShell. */
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { offerRelease } from '../../tools/windows/release.ts'
import {
  drive,
  resetWindows,
  runWindows,
  switchOff,
  switchOn,
  typeIntoPowerShell,
} from '../../tools/windows/windows.ts'
import type { TestServer } from '../support/server.ts'
import { isNight } from '../support/night.ts'
import { until } from '../support/until.ts'
import { deployOn, isOnline, leftovers, onlineDevice, startServer } from './installed-device.ts'

beforeAll(async () => {
  await offerRelease('first')
})

async function serving(isEncrypted: boolean): Promise<TestServer> {
  resetWindows()
  const server = await startServer(isEncrypted)
  onTestFinished(async () => {
    switchOff()
    await server.stop()
  })
  return server
}

const uninstall = () =>
  runWindows(['cmd.exe', '/c', 'C:\\Program Files\\Farhand\\default\\Farhand.Agent.cmd', 'uninstall'])

/** Pinned installations are also part of other files, so this one waits for the night. */
const commands = [
  ['without a pin', false],
  ['with a pin', true],
] as const

test.for(isNight ? commands : commands.slice(0, 1))(
  'the install command %s makes a service that is back after a reboot, and uninstall leaves nothing',
  { timeout: 400_000 },
  async ([, isPinned]) => {
    const server = await serving(isPinned)
    const owner = await server.owner()
    const before = await leftovers()
    const { command } = await deployOn(owner)
    expect(command.includes('sha256//')).toBe(isPinned)
    const installed = await typeIntoPowerShell(command)
    expect(installed.output).toMatch(/Started as Windows service Farhand\.Agent\.[^]*is online\./)
    expect(installed.status, installed.output).toBe(0)
    const { id, osDescription } = await onlineDevice(owner)
    expect(osDescription).toContain('Windows')

    switchOff()
    await until(async () => !(await isOnline(owner, id)))
    switchOn()
    await until(() => isOnline(owner, id))

    // Things of others, beside those of the agent.
    const foreign = path.join(drive, 'ProgramData', 'Farhand', 'default', 'notes of somebody.txt')
    writeFileSync(foreign, 'mine')
    const removed = await uninstall()
    expect(removed.output).toContain('The agent is uninstalled.')
    expect(removed.output).toContain("because it is not the agent's: notes of somebody.txt.")
    expect(removed.status).toBe(0)
    expect(existsSync(foreign)).toBe(true)
    rmSync(path.join(drive, 'ProgramData', 'Farhand'), { recursive: true })
    await until(async () => JSON.stringify(await leftovers()) === JSON.stringify(before))
  },
)
