/** Data, settings and agents that another user prepared where the server is started. */
import { chmodSync, chownSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createApp } from '../../server/app.ts'
import { loadConfig } from '../../server/config.ts'
import { createLog } from '../../server/log.ts'
import { temporaryFolder } from '../support/server-process.ts'

const isRoot = process.getuid?.() === 0
const stranger = 12_345

/** Ways in which somebody else gets at what is there. */
const preparations: [title: string, remedy: string, prepare: (path: string) => void][] = [
  ['its group may write to it', 'chmod go-w', (path) => chmodSync(path, 0o770)],
  ['everybody may write to it', 'chmod go-w', (path) => chmodSync(path, 0o707)],
]
if (isRoot) {
  preparations.push(['it belongs to somebody else', 'chown', (path) => chownSync(path, stranger, 0)])
}

let folder: string

/** The current folder is that of the test. */
beforeEach(async () => {
  const before = process.cwd()
  folder = await temporaryFolder()
  process.chdir(folder)
  onTestFinished(() => process.chdir(before))
})

/** Starts a server here and stops it. */
async function startHere(settings: Record<string, string> = {}) {
  const env = { Service_Urls: 'http://127.0.0.1:0', Service_DataDirectory: join(folder, 'data'), ...settings }
  const server = createApp(loadConfig({ env }), { log: createLog('silent'), secretStore: 'file' })
  await server.start()
  await server.stop()
}

describe.skipIf(process.platform === 'win32').each(preparations)('T36: where %s', (_, remedy, prepare) => {
  test.each([
    ['a data folder', 'data'],
    ['the folder around it', '.'],
  ])('%s is refused and nothing is written', async (__, name) => {
    mkdirSync('data', { mode: 0o700 })
    prepare(join(folder, name))
    await expect(startHere()).rejects.toThrow(new RegExp(`The data folder ${folder}/data is not used: .*${remedy}`))
    expect(existsSync('data/farhand.db')).toBe(false)
  })

  test('a file in the data folder is refused', async () => {
    await startHere()
    prepare(join(folder, 'data', 'secrets.json'))
    await expect(startHere()).rejects.toThrow(`${folder}/data/secrets.json`)
  })

  test('settings in the current folder are refused unless they are named', async () => {
    const file = join(folder, 'appsettings.json')
    writeFileSync(file, '{}')
    prepare(file)
    await expect(startHere()).rejects.toThrow(new RegExp(`ConfigFile is not read: .*${remedy}`))
    await startHere({ Service_ConfigFile: file })
  })

  test.each([
    ['downloads', 'downloads'],
    ['a bundle in them', 'downloads/linux-x64/Farhand.Agent.bundle.zip'],
  ])('%s in the current folder are refused unless they are named', async (__, name) => {
    mkdirSync('downloads/linux-x64', { recursive: true })
    writeFileSync('downloads/linux-x64/Farhand.Agent.bundle.zip', '')
    prepare(join(folder, name))
    await expect(startHere()).rejects.toThrow(
      new RegExp(`Agents are not offered from ${folder}/downloads: .*${remedy}`),
    )
    await startHere({ Service_DownloadsDirectory: join(folder, 'downloads') })
  })

  test('a folder that a link leads through is refused', async () => {
    mkdirSync('elsewhere/data', { recursive: true, mode: 0o700 })
    symlinkSync('elsewhere/data', 'data')
    prepare(join(folder, 'elsewhere'))
    await expect(startHere()).rejects.toThrow(`${folder}/elsewhere`)
  })
})
