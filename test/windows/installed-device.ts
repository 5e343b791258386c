import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { drive, releaseFolder, runWindows } from '../../tools/windows/windows.ts'
import { startTestServer, type Member, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

export const programFolder = path.join(drive, 'Program Files', 'Farhand', 'default')

export const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '')

/** Marks of the installed versions, the started one first. */
export function installedMarks(): string[] {
  const [, started = ''] = /versions\\([^\\]+)/.exec(textOf(path.join(programFolder, 'Farhand.Agent.cmd'))) ?? []
  const others = readdirSync(path.join(programFolder, 'versions')).filter((name) => name !== started)
  return [started, ...others].map((name) => textOf(path.join(programFolder, 'versions', name, 'mark')))
}

const folders = [path.join(drive, 'Program Files', 'Farhand'), path.join(drive, 'ProgramData', 'Farhand')]

/** Address of this machine that the server takes for one of its network. */
const card = {
  address: '127.0.0.2',
  family: 'IPv4',
  internal: false,
  netmask: '255.0.0.0',
  mac: '02:00:00:00:00:01',
} as const

/** Server that offers the agent for Windows, to every device at once; the commands of an encrypted one have a pin. */
export const startServer = (isEncrypted: boolean): Promise<TestServer> =>
  startTestServer({
    listenOn: isEncrypted ? 'http://127.0.0.1:0;https://0.0.0.0:0' : 'http://127.0.0.1:0',
    settings: { DownloadsDirectory: releaseFolder, Updates__AgentRings: 'false' },
    machine: { readInterfaces: () => ({ lan: [{ ...card, cidr: `${card.address}/8` }] }) },
  })

/** Commands of the Deploy page for Windows, with a new key. */
export async function deployOn(owner: Member) {
  const { key, commands } = await owner.applianceDeployments.create({ body: { keyType: 'Persistent' } })
  return { key, ...commands.find(({ runtime }) => runtime === 'win-x64')! }
}

export const isOnline = async (owner: Member, deviceId: string): Promise<boolean> =>
  (await owner.devices.get({ params: { deviceId } })).isOnline

/** The only device of the tenant, once it is online. */
export const onlineDevice = (owner: Member) =>
  until(async () => {
    const { items } = await owner.devices.search({ body: { pageSize: 10 } })
    return items?.find((device) => device.isOnline)
  })

const lines = async (...command: string[]) => (await runWindows(command)).output.split(/\r?\n/)

/** Traces of an agent in the system: folders, services and entries under "Apps". */
export async function leftovers(): Promise<string[]> {
  const apps = 'HKLM\\Software\\Microsoft\\Windows\\CurrentVersion\\Uninstall'
  const keys = await lines('reg.exe', 'query', apps)
  const services = await lines('reg.exe', 'query', 'HKLM\\System\\CurrentControlSet\\Services')
  return [...folders.filter(existsSync), ...[...keys, ...services].filter((line) => line.includes('Farhand'))]
}
