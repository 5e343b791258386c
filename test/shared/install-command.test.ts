import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  installCommand,
  installScript,
  packageCommand,
  silentCommand,
  type InstallCommand,
} from '../../shared/install-command.ts'
import { temporaryFolder } from '../support/server-process.ts'

const linux: InstallCommand = {
  system: 'linux',
  serverUrl: 'http://192.0.2.7:5120',
  serverPin: null,
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
  'install -s http://192.0.2.7:5120 -t 11111111-1111-4111-8111-111111111111 -ki 22222222-2222-4222-8222-222222222222'

/** Runs a command line with the given functions `curl` and `sh`; returns output and status. */
function runInShell(command: string, programs: string) {
  const { stdout, status } = spawnSync('sh', ['-c', `${programs}\n${command}`], { encoding: 'utf8' })
  return { stdout, status }
}

const pin = 'sha256//8HQQFqOx926EKlalBhPd5mpvJkRfeyoQAK1ekMBGJLs='

describe('on Linux and macOS', () => {
  test('downloads, then runs as root, with the secret ahead of the script', () => {
    const url = 'http://192.0.2.7:5120/downloads/linux-x64/Farhand.Agent.Installer'
    expect(installCommand(linux)).toBe(
      ` (printf '%s\\n' FARHAND_INSTALLER_KEY_SECRET=abc_DEF-123; curl -fsSL ${url} || wget -qO- ${url} || echo exit 1)` +
        ` | $(command -v sudo) sh -s -- ${keyArguments}`,
    )
  })

  test('runs without root for the current user', () =>
    expect(installCommand({ ...linux, isUserOnly: true })).toContain(') | sh -s -- install'))

  test('names the instance when there is one', () =>
    expect(installCommand({ ...linux, instanceId: 'lab' })).toMatch(/ -i lab$/))

  test('leaves nothing for the shell to interpret', () => {
    const keySecret = `'; $(id) \`id\` "x" \\ * %s`
    const script = `curl() { echo 'printf "%s" "$FARHAND_INSTALLER_KEY_SECRET"'; }`
    const command = installCommand({ ...linux, keySecret, isUserOnly: true })
    expect(runInShell(command, script)).toEqual({ stdout: keySecret, status: 0 })
  })

  // test/security/T17-install-command.test.ts runs the real curl and wget.
  test('takes the installer by the key of the server where it has one, and hands it on', () => {
    const url = 'https://192.0.2.7:5121/downloads/linux-x64/Farhand.Agent.Installer'
    const command = installCommand({ ...linux, serverUrl: 'https://192.0.2.7:5121', serverPin: pin })
    expect(command).toContain(
      `; curl -fsSLk --max-redirs 0 --pinnedpubkey ${pin} ${url} || wget -qO- --max-redirect=0 --no-check-certificate --pinnedpubkey=${pin} ${url} || echo `,
    )
    expect(command).toContain(` install -s https://192.0.2.7:5121 -sp ${pin} -t `)
  })

  test('ends with the status of the installer, and with 1 when there is none to be had', () => {
    const command = installCommand({ ...linux, isUserOnly: true })
    expect(runInShell(command, `curl() { echo 'exit 7'; }`).status).toBe(7)
    expect(runInShell(command, 'curl() { return 7; }; wget() { return 4; }').status).toBe(1)
  })
})

describe('on Windows', () => {
  const install = (serverUrl: string) =>
    '& ([scriptblock]::Create((New-Object Net.WebClient).DownloadString(' +
    `'${serverUrl}/downloads/win-x64/Farhand.Agent.Installer.ps1'))) install -s '${serverUrl}'` +
    " -t '11111111-1111-4111-8111-111111111111' -ki '22222222-2222-4222-8222-222222222222'"

  test('runs the installer in the session, with no file and no process that carries the secret', () =>
    expect(installCommand(windows)).toBe(
      `$env:FARHAND_INSTALLER_KEY_SECRET='abc_DEF-123'; ${install('http://192.0.2.7:5120')}`,
    ))

  test('asks for TLS 1.2 where the server speaks TLS', () =>
    expect(installCommand({ ...windows, serverUrl: 'https://farhand.example' })).toContain(
      `; [Net.ServicePointManager]::SecurityProtocol='Tls12'; ${install('https://farhand.example')}`,
    ))

  test('compares the key of the server before anything is sent, and sets the secret only then', () => {
    const command = installCommand({ ...windows, serverUrl: 'https://[fd00::7]:5121', serverPin: pin })
    const steps = [
      "& {$ErrorActionPreference='Stop'",
      "$u=[Uri]'https://[fd00::7]:5121/downloads/win-x64/Farhand.Agent.Installer.ps1'",
      `$p='${pin}'`,
      'if($k -cne $p){throw ',
      '$w.Write("GET ',
      "$env:FARHAND_INSTALLER_KEY_SECRET='abc_DEF-123'",
      `& ([scriptblock]::Create($t)) install -s 'https://[fd00::7]:5121' -sp '${pin}' -t `,
    ]
    const places = steps.map((step) => command.indexOf(step))
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(command).not.toContain('\n')
  })

  test('doubles single quotes, and what PowerShell takes for one', () => {
    expect(installCommand({ ...windows, keySecret: 'a\u2018b\u2019c\u201ad\u201be' })).toContain(
      "'a\u2018\u2018b\u2019\u2019c\u201a\u201ad\u201b\u201be'",
    )
    expect(installCommand({ ...windows, keySecret: "it's" })).toMatch(/^\$env:FARHAND_INSTALLER_KEY_SECRET='it''s'; /)
  })
})

describe('without questions', () => {
  const encoded = (command: InstallCommand) => silentCommand(command)!.split(' ').at(-1)!

  test('PowerShell ends with the status of the installer, and stops at the first error', () => {
    for (const command of [windows, { ...windows, serverUrl: 'https://192.0.2.7:5121', serverPin: pin }]) {
      const { text } = installScript(command)
      expect(text).toBe(`$ErrorActionPreference='Stop'; ${installCommand(command)}; exit $LASTEXITCODE\r\n`)
      expect(`${Buffer.from(encoded(command), 'base64').toString('utf16le')}\r\n`).toBe(text)
    }
  })

  test('msiexec gets the pin and the key as properties of the package', () => {
    const file = '/downloads/win-x64/Farhand.Agent.msi'
    const command = { ...windows, serverUrl: 'https://192.0.2.7:5121', serverPin: pin }
    expect(packageCommand(command, file)).toBe(
      `msiexec /i Farhand.Agent.msi /qn SERVER=https://192.0.2.7:5121 PIN=${pin} TENANT=${command.tenantId} ` +
        `KEYID=${command.keyId} KEYSECRET=${command.keySecret}`,
    )
    expect(packageCommand({ ...command, serverPin: null, keySecret: 'a "b"' }, file)).toMatch(
      /SERVER=https:\/\/192.0.2.7:5121 TENANT=.+ KEYSECRET="a ""b"""$/,
    )
    expect(packageCommand({ ...command, instanceId: 'second' }, file)).toBeNull()
    expect(packageCommand(command, null)).toBeNull()
  })

  /** Server whose installer for Windows ends with 7 by the rules of `installer.ps1`, and its address. */
  async function offering() {
    const server = createServer((_, response) => void response.end('$global:LASTEXITCODE = 7')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  // No package of Debian; `dotnet tool install powershell` has it.
  test.runIf(spawnSync('pwsh', ['-Version']).status === 0)('PowerShell ends so', { timeout: 60_000 }, async () => {
    const run = async (...args: string[]) => {
      const [status] = await once(spawn('pwsh', ['-NoProfile', '-NonInteractive', ...args]), 'exit')
      return status as number
    }
    const file = join(await temporaryFolder(), 'install-farhand.ps1')
    for (const [serverUrl, status] of [
      [await offering(), 7],
      ['http://127.0.0.1:1', 1],
    ] as const) {
      const command = { ...windows, serverUrl }
      await writeFile(file, installScript(command).text)
      expect([await run('-EncodedCommand', encoded(command)), await run('-File', file)]).toEqual([status, status])
    }
  })

  test('a script for Linux and macOS ends with the status of the installer, and with 1 when there is none', () => {
    const { text } = installScript({ ...linux, isUserOnly: true })
    expect(runInShell(text, `curl() { echo 'exit 7'; }`).status).toBe(7)
    expect(runInShell(text, 'curl() { return 7; }; wget() { return 4; }').status).toBe(1)
  })
})
