import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { UserError } from '../../../agent/base/errors.ts'
import { newIdentity } from '../../../agent/trust/identity.ts'
import { pathsFor } from '../../../agent/platform/paths.ts'
import { loadSettings, saveSettings, type Settings } from '../../../agent/trust/settings.ts'
import { temporaryFolder } from '../support.ts'

const settings = (): Settings => ({
  AppOptions: {
    DeviceId: '11111111-2222-3333-4444-555555555555',
    PrivateKey: newIdentity().privateKey,
    ServerUri: 'http://127.0.0.1:5120',
    TenantId: 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee',
    IsRegistered: true,
  },
  InstanceOptions: { InstanceId: 'lab' },
})

describe('settings', () => {
  test('are undefined before the first installation', () => {
    expect(loadSettings(pathsFor({ dataDir: temporaryFolder() }))).toBeUndefined()
  })

  test('come back as they were saved, readable by their owner alone', () => {
    const paths = pathsFor({ dataDir: join(temporaryFolder(), 'new', 'folder') })
    const saved = { ...settings(), Developer: { DisableAutoUpdate: true } }
    saveSettings(paths, saved)
    expect(loadSettings(paths)).toEqual(saved)
    expect(readdirSync(paths.settingsFolder)).toEqual(['appsettings.json'])
    if (process.platform !== 'win32') {
      expect(statSync(paths.settingsFile).mode & 0o777).toBe(0o600)
      expect(statSync(paths.settingsFolder).mode & 0o777).toBe(0o700)
    }
  })

  test('reads the file of another agent of this interface', () => {
    const paths = pathsFor({ dataDir: temporaryFolder() })
    const { IsRegistered: _, ...AppOptions } = settings().AppOptions
    writeFileSync(paths.settingsFile, `\uFEFF${JSON.stringify({ AppOptions, Serilog: { MinimumLevel: 'Debug' } })}`)
    expect(loadSettings(paths)).toMatchObject({
      AppOptions: { IsRegistered: true },
      Serilog: { MinimumLevel: 'Debug' },
    })
  })

  test.each([
    ['', 'it is not JSON'],
    ['{"AppOptions":', 'it is not JSON'],
    ['{}', 'AppOptions: '],
    [JSON.stringify({ AppOptions: { ...settings().AppOptions, PrivateKey: 'abc' } }), 'AppOptions.PrivateKey: must be'],
  ])('are never replaced when damaged: %s', (text, problem) => {
    const paths = pathsFor({ dataDir: temporaryFolder() })
    mkdirSync(paths.settingsFolder, { recursive: true })
    writeFileSync(paths.settingsFile, text)
    expect(() => loadSettings(paths)).toThrow(UserError)
    expect(() => loadSettings(paths)).toThrow(problem)
    expect(() => loadSettings(paths)).toThrow(
      /Restore it from a backup, or delete .*appsettings\.json and install again/,
    )
    expect(readFileSync(paths.settingsFile, 'utf8')).toBe(text)
  })
})
