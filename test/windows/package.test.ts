/** The MSI package, with the command of the Deploy page, in Wine 10: on one Windows, which each test leaves as it was. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { offerPackage, offerRelease } from '../../tools/windows/release.ts'
import { drive, releaseFolder, resetWindows, runWindows, switchOff } from '../../tools/windows/windows.ts'
import type { Member, TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import {
  deployOn,
  installedMarks,
  isOnline,
  leftovers,
  onlineDevice,
  programFolder,
  startServer,
} from './installed-device.ts'

const timeout = 300_000
let server: TestServer
let owner: Member

beforeAll(async () => {
  resetWindows()
  await offerRelease('first')
  await offerPackage('9.0.0')
  server = await startServer(true)
  owner = await server.owner()
}, timeout)
afterAll(async () => {
  switchOff()
  await server?.stop()
}, timeout)

/** Downloads the offered package from the server, as a person who deploys it does. */
async function download(name: string) {
  const { packageUrl } = await deployOn(owner)
  const response = await fetch(`${server.url}${packageUrl}`)
  expect(response.status).toBe(200)
  writeFileSync(path.join(drive, 'bed', name), Buffer.from(await response.arrayBuffer()))
  return `C:\\bed\\${name}`
}

/** Runs `msiexec` and expects its exit status; the end of its log tells of another. */
async function msiexec(status: number, ...args: string[]) {
  const log = path.join(drive, 'bed', 'msi.log')
  const ended = await runWindows(['msiexec.exe', ...args, '/l*v', 'C:\\bed\\msi.log'])
  const steps =
    readFileSync(log, 'latin1')
      .replaceAll('\0', '')
      .match(/^Action ended.*|^.*Error.*/gm) ?? []
  expect(ended.status, steps.join('\n')).toBe(status)
}

/** Command of the Deploy page for a package that was downloaded as a file. */
const argumentsOf = (command: string, file: string) =>
  command
    .split(' ')
    .slice(1)
    .map((word) => (word === 'Farhand.Agent.msi' ? file : word))

const products = async () =>
  (await runWindows(['reg.exe', 'query', 'HKLM\\Software\\Classes\\Installer\\Products', '/s'])).output
    .split(/\r?\n/)
    .filter((line) => line.includes('Farhand'))

test('msiexec fails for a key that the server rejects, and leaves nothing', { timeout }, async () => {
  const before = await leftovers()
  const file = await download('first.msi')
  const { packageCommand, key } = await deployOn(owner)
  await owner.installerKeys.delete({ params: { keyId: key.id }, tenantId: owner.tenantId })
  // 1603 in Windows.
  await msiexec(1627, ...argumentsOf(packageCommand ?? '', file))
  expect(existsSync(path.join(drive, 'ProgramData', 'Farhand'))).toBe(false)
  // Wine leaves the empty folders of a package that it rolled back.
  const folder = path.dirname(programFolder)
  const left = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : []
  expect(left.filter((entry) => entry.isFile())).toEqual([])
  rmSync(folder, { recursive: true, force: true })
  expect([await leftovers(), await products()]).toEqual([before, []])
})

test(
  'the package installs, is replaced by a newer one without properties, and leaves nothing',
  { timeout },
  async () => {
    const before = await leftovers()
    const first = await download('first.msi')
    const { packageCommand } = await deployOn(owner)
    await msiexec(0, ...argumentsOf(packageCommand ?? '', first))
    const { id } = await onlineDevice(owner)
    expect(installedMarks()).toEqual(['first'])

    await offerRelease('second')
    await offerPackage('9.0.1')
    const second = await download('second.msi')
    await msiexec(0, '/i', second, '/qn')
    await until(() => installedMarks().join() === 'second')
    await until(() => isOnline(owner, id))
    expect(await products()).toHaveLength(1)

    await msiexec(0, '/x', second, '/qn')
    await until(async () => JSON.stringify(await leftovers()) === JSON.stringify(before))
    expect(await products()).toEqual([])
  },
)

test("the agent's own uninstall also removes the package", { timeout }, async () => {
  const before = await leftovers()
  const file = await download('first.msi')
  const { packageCommand } = await deployOn(owner)
  await msiexec(0, ...argumentsOf(packageCommand ?? '', file))
  const { status } = await runWindows([
    'cmd.exe',
    '/c',
    'C:\\Program Files\\Farhand\\default\\Farhand.Agent.cmd',
    'uninstall',
  ])
  expect(status).toBe(0)
  await until(async () => (await products()).length === 0)
  await until(async () => JSON.stringify(await leftovers()) === JSON.stringify(before))
})

/** Table of the package. */
const table = (name: string) =>
  execFileSync('msiinfo', ['export', path.join(releaseFolder, 'win-x64', 'Farhand.Agent.msi'), name], {
    encoding: 'utf8',
  })

test('a package that is rolled back keeps settings and key, which the server may know', () => {
  expect(table('CustomAction')).toMatch(/^UndoInstall\t\d+\tnode\.exe\t"\[#main\.js\]" uninstall --keep-data/m)
})

test('Windows keeps the secret out of logs, and takes the properties from a person who was asked for an administrator', async () => {
  // Read from the tables: Wine logs every property.
  expect(table('Property')).toContain('MsiHiddenProperties\tKEYSECRET;InstallOptions')
  expect(table('Property')).toMatch(/SecureCustomProperties\tSERVER;PIN;TENANT;KEYID;KEYSECRET/)
  const hidden = table('CustomAction')
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([, type]) => (Number(type) & 0x2000) !== 0)
    .map(([action]) => action)
  const steps = table('InstallExecuteSequence')
    .split('\n')
    .map((line) => line.split('\t'))
    .toSorted((a, b) => Number(a[2]) - Number(b[2]))
    .map(([step]) => step)
    .filter((step) => /^(AppSearch|Set.*|Uninstall|RemoveFiles|InstallFiles|UndoInstall|Install)$/.test(step ?? ''))
  // Wine works with other orders, too.
  expect(steps.join(' ')).toBe(
    'AppSearch SetServer SetPin SetKey SetKeepData Uninstall RemoveFiles InstallFiles UndoInstall Install',
  )
  expect(hidden).toEqual(expect.arrayContaining(['SetKey', 'Install']))
})
