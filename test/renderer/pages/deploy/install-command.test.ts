import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { installCommand, type InstallCommand } from '../../../../renderer/pages/deploy/install-command.ts'

const linux: InstallCommand = {
  system: 'linux',
  serverUrl: 'http://192.0.2.7:5120',
  downloadUrl: '/downloads/linux-x64/Farhand.Agent.Installer',
  tenantId: '11111111-1111-4111-8111-111111111111',
  keyId: '22222222-2222-4222-8222-222222222222',
  keySecret: 'abc_DEF-123',
  instanceId: null,
  isUserOnly: false,
}
const windows: InstallCommand = {
  ...linux,
  system: 'windows',
  downloadUrl: '/downloads/win-x64/Farhand.Agent.Installer.ps1',
}
const keyArguments =
  'install -s http://192.0.2.7:5120 -t 11111111-1111-4111-8111-111111111111 -ki 22222222-2222-4222-8222-222222222222 -ks abc_DEF-123'

describe('on Linux and macOS', () => {
  test('downloads, then runs as root', () => {
    const url = 'http://192.0.2.7:5120/downloads/linux-x64/Farhand.Agent.Installer'
    expect(installCommand(linux)).toBe(
      `(curl -fsSL ${url} || wget -qO- ${url}) | $(command -v sudo) sh -s -- ${keyArguments}`,
    )
  })

  test('runs without root for the current user', () =>
    expect(installCommand({ ...linux, isUserOnly: true })).toContain(') | sh -s -- install'))

  test('names the instance when there is one', () =>
    expect(installCommand({ ...linux, instanceId: 'lab' })).toMatch(/ -ks abc_DEF-123 -i lab$/))

  test('leaves nothing for the shell to interpret', () => {
    const keySecret = `'; $(id) \`id\` "x" \\ *`
    const words = installCommand({ ...linux, keySecret }).split(' sh -s -- ')[1]!
    const seen = execFileSync('sh', ['-c', `printf '%s\\n' ${words}`], { encoding: 'utf8' }).split('\n')
    expect(seen.at(-2)).toBe(keySecret)
  })
})

describe('on Windows', () => {
  test('downloads, then asks for administrator rights', () =>
    expect(installCommand(windows)).toBe(
      "$ProgressPreference='SilentlyContinue'; " +
        '$installer="$env:TEMP\\Farhand.Agent.Installer.ps1"; ' +
        "Invoke-WebRequest -Uri 'http://192.0.2.7:5120/downloads/win-x64/Farhand.Agent.Installer.ps1'" +
        ' -OutFile $installer -UseBasicParsing; ' +
        'Start-Process powershell.exe -Verb RunAs -ArgumentList ' +
        `('-NoProfile -ExecutionPolicy Bypass -File "' + $installer + '"' + ' ${keyArguments}')`,
    ))

  test('doubles single quotes', () =>
    expect(installCommand({ ...windows, keySecret: "it's" })).toContain(`-ks "it''s"'`))
})
