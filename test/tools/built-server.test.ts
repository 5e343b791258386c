import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startServer } from '../../tools/simulate/server-process.ts'
import { temporaryFolder } from '../../tools/simulate/temporary-folder.ts'
import { identityPath } from '../../shared/server-identity.ts'
import { isNight } from '../support/night.ts'

const root = join(import.meta.dirname, '..', '..')
const others = 0o022

test(
  'the compile cache is stored when the built server stops, no more accessible than the program',
  { timeout: 30_000 },
  async () => {
    // The cache of the tests would take its place.
    vi.stubEnv('NODE_COMPILE_CACHE', undefined)
    onTestFinished(() => void vi.unstubAllEnvs())
    {
      await using folder = await temporaryFolder()
      await using server = await startServer(folder.path)
      expect((await fetch(`${server.url}/health`)).status).toBe(200)
    }
    const kept = globSync('dist/.compiled/**', { cwd: root }).map((file) => statSync(join(root, file)))
    expect(kept.some(({ size }) => size > 500_000)).toBe(true)
    const program = statSync(join(root, 'dist/server')).mode & others
    expect(kept.filter(({ mode }) => (mode & others & ~program) !== 0)).toEqual([])
  },
)

test.runIf(isNight)('the built server issues certificates and serves https', { timeout: 30_000 }, async () => {
  await using folder = await temporaryFolder()
  await using server = await startServer(folder.path, { Service_Urls: 'http://127.0.0.1:0;https://127.0.0.1:0' })
  expect(server.urls.map((url) => new URL(url).protocol)).toEqual(['http:', 'https:'])
  expect((await fetch(server.url + identityPath)).status).toBe(200)
})

test('the built server asks the vendor of an exporter for nothing', () => {
  const built = globSync('dist/server/*.js', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'))
  expect(built.some((text) => text.includes('AzureMonitorTraceExporter'))).toBe(true)
  expect(built.filter((text) => text.includes('getOneSettingsSender'))).toEqual([])
})
