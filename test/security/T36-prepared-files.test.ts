/** Data, settings and agents that another user prepared where the server starts. */
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, lchownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createApp } from '../../server/app.ts'
import { carryOut } from '../../server/surface/service.command.ts'
import { loadConfig } from '../../server/settings/config.ts'
import { systemd } from '../../server/engines/process/systemd.ts'
import { createTestLog } from '../support/log.ts'
import { temporaryFolder } from '../support/server-process.ts'

const isRoot = process.getuid?.() === 0
const stranger = 12_345
const ownUid = process.getuid?.() ?? 0
/** Group that is not the server's; only root can change a file to a group that the user is not in. */
const otherGroup = isRoot ? stranger : (process.getgroups?.() ?? []).find((group) => group !== ownUid)

/** Ways in which another user gains access. */
const preparations: [title: string, remedy: string, prepare: (path: string) => void][] = [
  ['everybody may write to it', 'chmod go-w', (path) => chmodSync(path, 0o707)],
]
if (otherGroup !== undefined) {
  preparations.push([
    'its group may write to it',
    'chmod go-w',
    (path) => {
      chownSync(path, ownUid, otherGroup)
      chmodSync(path, 0o770)
    },
  ])
}
if (isRoot) {
  preparations.push(['it belongs to somebody else', 'chown', (path) => chownSync(path, stranger, 0)])
}

let folder: string

/** Runs in the test's own folder. */
beforeEach(async () => {
  const before = process.cwd()
  folder = await temporaryFolder()
  process.chdir(folder)
  onTestFinished(() => process.chdir(before))
})

/** Starts a server in the current folder and stops it. */
async function startHere(settings: Record<string, string> = {}) {
  const env = { Service_Urls: 'http://127.0.0.1:0', Service_DataDirectory: join(folder, 'data'), ...settings }
  const log = createTestLog()
  const server = createApp(loadConfig({ env }), { log, secretStore: 'file' })
  await server.start()
  await server.stop()
  return log.lines.filter(({ level }) => level === 'warn').map(({ message }) => message)
}

describe.skipIf(process.platform === 'win32').each(preparations)('T36: where %s', (_, remedy, prepare) => {
  test.each([
    ['a data folder', 'data'],
    ['the folder around it', '.'],
  ])('%s is rejected and nothing is written', async (__, name) => {
    mkdirSync('data', { mode: 0o700 })
    prepare(join(folder, name))
    await expect(startHere()).rejects.toThrow(new RegExp(`The data folder ${folder}/data is not used: .*${remedy}`))
    expect(existsSync('data/farhand.db')).toBe(false)
  })

  test('a file in the data folder is rejected', async () => {
    await startHere()
    prepare(join(folder, 'data', 'secrets.json'))
    await expect(startHere()).rejects.toThrow(`${folder}/data/secrets.json`)
  })

  test('settings in the current folder are rejected unless they are named', async () => {
    const file = join(folder, 'appsettings.json')
    writeFileSync(file, '{}')
    prepare(file)
    await expect(startHere()).rejects.toThrow(new RegExp(`ConfigFile is not read: .*${remedy}`))
    await startHere({ Service_ConfigFile: file })
  })

  test.each([
    ['downloads', 'downloads'],
    ['a bundle in them', 'downloads/linux-x64/Farhand.Agent.bundle.zip'],
  ])('%s in the current folder are rejected unless they are named, which the log warns of', async (__, name) => {
    mkdirSync('downloads/linux-x64', { recursive: true })
    writeFileSync('downloads/linux-x64/Farhand.Agent.bundle.zip', '')
    prepare(join(folder, name))
    await expect(startHere()).rejects.toThrow(
      new RegExp(`Agents are not offered from ${folder}/downloads: .*${remedy}`),
    )
    const warnings = await startHere({ Service_DownloadsDirectory: join(folder, 'downloads') })
    expect(warnings).toEqual([expect.stringMatching(new RegExp(`run code on devices: .*${remedy}`))])
  })

  test('a folder behind a link is rejected', async () => {
    mkdirSync('elsewhere/data', { recursive: true, mode: 0o700 })
    symlinkSync('elsewhere/data', 'data')
    prepare(join(folder, 'elsewhere'))
    await expect(startHere()).rejects.toThrow(`${folder}/elsewhere`)
  })
})

/** Root's group is a private group, as for most users of Ubuntu and Fedora, whose umask allows group writes. */
test.skipIf(!isRoot && process.getgid?.() !== ownUid)(
  'T36: where the group that may write is the private one of the owner, the server starts',
  async () => {
    mkdirSync('downloads')
    mkdirSync('data')
    writeFileSync('appsettings.json', '{}')
    for (const name of ['.', 'downloads', 'data', 'appsettings.json']) {
      chownSync(name, ownUid, ownUid)
      chmodSync(name, 0o775)
    }
    await startHere()
    chmodSync('.', 0o777)
    await expect(startHere()).rejects.toThrow('is not read')
  },
)

test.skipIf(!isRoot)('T36: where another user owns the parent of a missing data folder, none is created', async () => {
  chownSync('.', stranger, stranger)
  await expect(startHere()).rejects.toThrow(`${folder} belongs to another user`)
  expect(existsSync('data')).toBe(false)
})

describe.skipIf(!isRoot)('T36: a service that root installs', () => {
  test.each<[string, (path: string) => void]>([
    [
      'a folder of another user',
      (path) => {
        mkdirSync(path)
        chownSync(path, stranger, 0)
      },
    ],
    [
      'a link of another user',
      (path) => {
        mkdirSync('elsewhere')
        symlinkSync(join(folder, 'elsewhere'), path)
        lchownSync(path, stranger, 0)
      },
    ],
  ])('rejects %s as its data folder, and changes nothing behind it', async (_, prepare) => {
    const data = join(folder, 'data')
    prepare(data)
    const before = statSync(data)
    const spec = {
      command: ['/bin/true'],
      environment: {},
      dataDirectory: data,
      stopSeconds: 20,
      account: 'daemon',
    } as const
    const steps = systemd('system', '/root').install(spec)
    const place = steps.findIndex((step) => 'unprepared' in step)
    expect(place).not.toBe(-1)
    expect(steps.findIndex((step) => 'folder' in step)).toBeGreaterThan(place)
    await expect(carryOut({ unprepared: data, account: 'daemon' })).rejects.toThrow(
      /^The service was not installed: .* another user/,
    )
    expect([statSync(data).uid, statSync(data).mode]).toEqual([before.uid, before.mode])
  })

  test('accepts the data folder of its own account', async () => {
    const data = join(folder, 'data')
    mkdirSync(data, { mode: 0o700 })
    chownSync(data, Number(execFileSync('id', ['-u', 'daemon'], { encoding: 'utf8' })), 0)
    await carryOut({ unprepared: data, account: 'daemon' })
  })
})
