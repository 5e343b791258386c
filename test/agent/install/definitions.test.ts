import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { plistText } from '../../../agent/install/launchd.ts'
import { shellCommand, type ServiceSpec } from '../../../agent/install/service.ts'
import { unitText } from '../../../agent/install/systemd.ts'
import { hostSource } from '../../../agent/install/windows-service.ts'
import { pathsFor } from '../../../agent/paths.ts'
import { temporaryFolder } from '../support.ts'

const awkward = '/opt/a $b %n "c" & <d>/main.js'
const spec: ServiceSpec = {
  instanceId: 'lab',
  run: ['/usr/bin/env', awkward, 'run'],
  paths: pathsFor({ dataDir: '/d' }),
}

test.each([
  ['linux', `'/opt/a b' run 'it'\\''s'`],
  ['win32', `& '/opt/a b' run 'it''s'`],
] as const)('a command that people paste is quoted for their shell on %s', (system, line) => {
  expect(shellCommand(['/opt/a b', 'run', "it's"], system)).toBe(line)
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

  test('escape the program for launchd', () => {
    expect(plistText(spec)).toContain('<string>/opt/a $b %n "c" &amp; &lt;d&gt;/main.js</string>')
    expect(plistText(spec)).toContain('<string>app.farhand.agent.lab</string>')
  })

  test('quote the program for Windows, once for the command line and once for the source', () => {
    const windows: ServiceSpec = {
      ...spec,
      run: ['C:\\Program Files\\node.exe', 'C:\\a b\\main.js', '--data-dir', 'D:\\x\\'],
    }
    expect(hostSource(windows)).toContain(
      'ProcessStartInfo(@"C:\\Program Files\\node.exe", @"""C:\\a b\\main.js"" ""--data-dir"" ""D:\\x\\\\""")',
    )
  })
})
