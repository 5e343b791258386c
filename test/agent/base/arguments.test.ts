import { describe, expect, test } from 'vitest'
import { parseCommandLine } from '../../../agent/base/arguments.ts'
import { linux } from '../../../agent/platform/linux/linux.ts'
import { macos } from '../../../agent/platform/macos/macos.ts'
import { pathsFor } from '../../../agent/platform/paths.ts'
import { windows } from '../../../agent/platform/windows/windows.ts'

const tenant = '3F2504E0-4F89-41D3-9A0C-0305E82C3301'
const key = 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee'

describe('parseCommandLine', () => {
  test('reads short and long options, with the value behind a blank or an equals sign', () => {
    const short = ['-s', 'http://a.example:5120/path', '-t', tenant, '-ki', key, '-ks', '-secret=1', '-i', 'x.1']
    const long = ['--server-uri=http://a.example:5120', '--tenant-id', tenant, `--installer-key-id=${key}`]
    const rest = ['--installer-key-secret=-secret=1', '--instance-id=x.1']
    const options = {
      serverUri: 'http://a.example:5120',
      tenantId: tenant.toLowerCase(),
      installerKeyId: key,
      installerKeySecret: '-secret=1',
      instanceId: 'x.1',
    }
    expect(parseCommandLine(['install', ...short])).toEqual({ command: 'install', options })
    expect(parseCommandLine(['install', ...long, ...rest])).toEqual({ command: 'install', options })
  })

  test('takes the secret of the key from the environment, unless the arguments give one', () => {
    const install = ['install', '-s', 'http://a.example', '-t', tenant, '-ki', key]
    const secretOf = (args: string[]) => parseCommandLine(args, 'from-outside')
    expect(secretOf(install)).toMatchObject({ options: { installerKeySecret: 'from-outside' } })
    expect(secretOf([...install, '-ks', 'given'])).toMatchObject({ options: { installerKeySecret: 'given' } })
    expect(secretOf(['run'])).toEqual({ command: 'run', options: {} })
  })

  test('needs nothing to install on a device that is registered', () => {
    expect(parseCommandLine(['install'])).toEqual({ command: 'install', options: {} })
  })

  test('drops tags that are no ids', () => {
    expect(parseCommandLine(['run', '-g', `${key},nonsense,${key}`])).toEqual({
      command: 'run',
      options: { deviceTags: [key, key] },
    })
  })

  test('lists every problem, not only the first', () => {
    expect(parseCommandLine(['install', '-s', 'here', '-t', '-ki', '5', '--bogus', '-i', 'default'])).toEqual({
      problems: [
        '-s must be an absolute address such as https://farhand.example:5120, not "here"',
        '-t needs a value (GUID)',
        '-ki must be a GUID such as 3f2504e0-4f89-41d3-9a0c-0305e82c3301, not "5"',
        'unknown option "--bogus"',
        '-i may hold letters, digits, ".", "_" and "-", and must not be "default", not "default"',
        'the secret of the key is missing: put it in FARHAND_INSTALLER_KEY_SECRET, or give "-ks -" to be asked',
      ],
    })
  })

  test.each([
    [
      ['install', '-ki', key, '-ks', 'x'],
      ['-s (--server-uri) is missing', '-t (--tenant-id) is missing'],
    ],
    [['run', '-s', 'http://a'], ['-t (--tenant-id) is missing']],
    [['fly'], ['unknown command "fly"; it is one of run, install, uninstall, status, discover, consent, visits']],
    [
      ['status', '-i', '../x'],
      ['-i may hold letters, digits, ".", "_" and "-", and must not be "default", not "../x"'],
    ],
  ])('refuses %o', (args, problems) => {
    expect(parseCommandLine(args)).toEqual({ problems })
  })

  test.each([
    [[], 'help'],
    [['run', '--help'], 'help'],
    [['--version'], 'version'],
  ])('understands %o', (args, command) => {
    expect(parseCommandLine(args)).toEqual({ command })
  })
})

describe('pathsFor', () => {
  test.each([
    [linux, true, '/etc/farhand/default', '/var/log/farhand/default/Farhand.Agent', '/usr/local/bin/Farhand/default'],
    [
      macos,
      true,
      '/etc/farhand/default',
      '/var/log/farhand/default/Farhand.Agent',
      '/Library/Application Support/Farhand/default',
    ],
    [
      windows,
      false,
      'C:\\ProgramData\\Farhand\\default',
      'C:\\ProgramData\\Farhand\\default\\Logs\\Farhand.Agent',
      'C:\\Program Files\\Farhand\\default',
    ],
  ] as const)('uses the folders of system %#', (system, asRoot, settings, logs, program) => {
    const paths = pathsFor({}, system, asRoot)
    expect([paths.settingsFolder, paths.logFolder, paths.programFolder]).toEqual([settings, logs, program])
  })

  test('keeps everything of an ordinary user below the home folder, by instance', () => {
    expect(pathsFor({ instanceId: 'lab' }, linux, false).settingsFile).toMatch(/\/\.farhand\/lab\/appsettings\.json$/)
  })

  test('gathers everything in --data-dir', () => {
    const { settingsFolder, logFolder, programFolder } = pathsFor({ dataDir: '/d' }, linux, true)
    expect([settingsFolder, logFolder, programFolder]).toEqual(['/d', '/d/Logs', '/d/program'])
  })
})
