import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { backgroundNote } from '../../../agent/install/background.ts'
import { permissionNote, plistText } from '../../../agent/platform/macos/launchd.ts'
import { scriptText } from '../../../agent/platform/linux/openrc.ts'
import { linux } from '../../../agent/platform/linux/linux.ts'
import type { ServiceSpec } from '../../../agent/platform/service-manager.ts'
import { windows as windowsPlatform } from '../../../agent/platform/windows/windows.ts'
import { unitText } from '../../../agent/platform/linux/systemd.ts'
import { uninstallEntry } from '../../../agent/platform/windows/apps.ts'
import { serviceDefinition } from '../../../agent/platform/windows/service.ts'
import { pathsFor } from '../../../agent/platform/paths.ts'
import { agentVersion } from '../../../agent/base/version.ts'
import { temporaryFolder } from '../support.ts'

const awkward = '/opt/a $b %n "c" & <d>/main.js'
const spec: ServiceSpec = {
  instanceId: 'lab',
  run: ['/usr/bin/env', awkward, 'run'],
  uninstall: ['/usr/bin/env', awkward, 'uninstall'],
  paths: pathsFor({ dataDir: '/d' }),
}

test.each([
  ['Linux', linux, `'/opt/a b' run 'it'\\''s'`],
  ['Windows', windowsPlatform, `& '/opt/a b' run 'it''s'`],
] as const)('a command that people paste is quoted for their shell on %s', (_name, { program }, line) => {
  expect(program.shellCommand(['/opt/a b', 'run', "it's"])).toBe(line)
})

describe('service definitions', () => {
  test('quote the program for systemd', () => {
    expect(unitText(spec, true)).toContain('ExecStart="/usr/bin/env" "/opt/a $$b %%n \\"c\\" & <d>/main.js" "run"\n')
  })

  test.runIf(existsSync('/usr/bin/systemd-analyze'))('satisfy systemd', () => {
    const file = join(temporaryFolder(), 'farhand.agent-lab.service')
    writeFileSync(file, unitText(spec, true))
    expect(execFileSync('systemd-analyze', ['verify', file], { encoding: 'utf8', stdio: 'pipe' })).toBe('')
  })

  test('quote the program for OpenRC, whose shell reads the arguments twice', () => {
    const text = scriptText(spec)
    expect(text).toMatch(/^#!\/sbin\/openrc-run\n/)
    // Evaluates both as openrc-run does: supervise-daemon.sh evaluates "$command $command_args".
    const shell = `eval "set -- $command $command_args"; for each in "$@"; do printf '%s\\n' "$each"; done`
    const read = text.replace(/^depend[^]*/m, '')
    const seen = execFileSync('sh', ['-c', `${read}\n${shell}`], { encoding: 'utf8' })
    expect(seen).toBe(`/usr/bin/env\n${awkward}\nrun\n`)
  })

  test('escape the program for launchd', () => {
    expect(plistText(spec)).toContain('<string>/opt/a $b %n "c" &amp; &lt;d&gt;/main.js</string>')
    expect(plistText(spec)).toContain('<string>app.farhand.agent.lab</string>')
  })

  test('quote the program for Windows', () => {
    const windows: ServiceSpec = {
      ...spec,
      run: ['C:\\Program Files\\node.exe', 'C:\\a b\\main.js', '--data-dir', 'D:\\x\\'],
    }
    expect(serviceDefinition(windows)).toMatchObject({
      name: 'Farhand.Agent (lab)',
      commandLine: '"C:\\Program Files\\node.exe" "C:\\a b\\main.js" "--data-dir" "D:\\x\\\\"',
    })
  })
})

describe('notices to the person at the device', () => {
  test('names the program that macOS asks about, and what it may be allowed', () => {
    expect(permissionNote(spec).split('\n')).toEqual([
      'macOS asks the person at this Mac before a program may do these. Allow "node" (/usr/bin/env) once, in System Settings, Privacy & Security:',
      expect.stringContaining('Screen & System Audio Recording'),
      expect.stringContaining('Accessibility'),
      expect.stringContaining('Full Disk Access'),
      'Everything else works without these permissions.',
    ])
  })

  test('without a service manager, cron starts the agent, or a line for the start of a container is printed', () => {
    const run = ['/opt/a b/node', 'main.js', 'run']
    const start = `nohup '/opt/a b/node' main.js run >/dev/null 2>&1 &`
    expect(backgroundNote(run, false)).toContain(`\n  ${start}`)
    const [, line = ''] = backgroundNote(run, true).split('\n')
    const table = execFileSync('sh', ['-c', `crontab() { [ "$1" = -l ] && echo '1 2 * * * x' || cat; }\n${line}`])
    expect(String(table)).toBe(`1 2 * * * x\n@reboot ${start}\n`)
  })
})

test('the entry under "Apps" of Windows asks for the rights of an administrator, but not from programs that have them', () => {
  const program = 'C:\\Program Files\\Farhand\\lab'
  const windows: ServiceSpec = {
    instanceId: 'lab',
    run: [`${program}\\node.exe`, `${program}\\main.js`, 'run'],
    uninstall: [`${program}\\node.exe`, `${program}\\main.js`, 'uninstall', '--instance-id', 'lab'],
    paths: pathsFor({ instanceId: 'lab' }, windowsPlatform),
  }
  const quiet = `"${program}\\node.exe" "${program}\\main.js" "uninstall" "--instance-id" "lab"`
  const inner = `\\"${program}\\main.js\\" \\"uninstall\\" \\"--instance-id\\" \\"lab\\"`
  expect(uninstallEntry(windows, 90_000, new Date(2026, 10, 2))).toEqual({
    DisplayName: 'Farhand agent (lab)',
    DisplayVersion: agentVersion,
    Publisher: 'Farhand',
    InstallLocation: program,
    InstallDate: '20261102',
    EstimatedSize: 90_000,
    UninstallString:
      '"C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe" "-NoProfile" "-WindowStyle" "Hidden" "-Command" ' +
      `"Start-Process -Verb RunAs -FilePath '${program}\\node.exe' -ArgumentList '${inner}'"`,
    QuietUninstallString: quiet,
    NoModify: 1,
    NoRepair: 1,
  })
})
