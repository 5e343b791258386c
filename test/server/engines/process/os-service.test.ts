import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { launchd, plistText } from '../../../../server/engines/process/launchd.ts'
import type { ServiceSpec } from '../../../../server/engines/process/os-service.ts'
import { systemd, unitText } from '../../../../server/engines/process/systemd.ts'
import { serviceDefinition, serviceSid, windowsService } from '../../../../server/engines/process/windows-service.ts'
import { parseServiceCommand } from '../../../../server/surface/service.command.ts'
import { serverProgram } from '../../../support/built-programs.ts'
import { temporaryFolder } from '../../../support/server-process.ts'

const spec = (changes: Partial<ServiceSpec> = {}): ServiceSpec => ({
  command: [process.execPath, serverProgram, '--headless'],
  environment: { Service_DataDirectory: '/var/lib/farhand' },
  dataDirectory: '/var/lib/farhand',
  stopSeconds: 20,
  account: 'farhand',
  ...changes,
})

test('systemd accepts the units, and calls the confined one safe', async ({ skip }) => {
  if (!existsSync('/usr/bin/systemd-analyze')) {
    return skip('systemd is not installed')
  }
  const folder = await temporaryFolder()
  for (const [name, each] of [
    ['farhand-server', spec({ account: 'daemon' })],
    ['farhand-user', spec({ account: undefined })],
  ] as const) {
    const file = join(folder, `${name}.service`)
    writeFileSync(file, unitText(each))
    const output = execFileSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8', stdio: 'pipe' })
    expect(output).toBe('')
  }
})

/** Command and environment of a unit, as systemd reads them. */
function startOf(unit: string) {
  const words = (line: string) => [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word]) => word!)
  const unquote = (word: string) => word.replaceAll('%%', '%').replaceAll(/\\(.)/g, '$1')
  const line = (name: string) => unit.split('\n').filter((each) => each.startsWith(`${name}=`))
  const [program = '', ...args] = words(line('ExecStart')[0]!).map((word) => unquote(word).replaceAll('$$', '$'))
  const environment = line('Environment').flatMap(words).map(unquote)
  return { program, args, environment: Object.fromEntries(environment.map((each) => each.split(/=(.*)/s, 2))) }
}

test('the command of the unit serves, one per data folder, and stops in order on SIGTERM', async () => {
  const directory = join(await temporaryFolder(), 'data of 100% $HOME "quoted"')
  const environment = { Service_DataDirectory: directory, Service_Urls: 'http://127.0.0.1:0' }
  const { program, args, environment: given } = startOf(unitText(spec({ environment, dataDirectory: directory })))
  expect(given).toEqual(environment)
  const start = () => {
    const child = spawn(program, args, { env: { ...process.env, ...given }, stdio: ['ignore', 'pipe', 'pipe'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    return child
  }
  const service = start()
  const [line] = (await once(createInterface(service.stdout), 'line')) as [string]
  const url = line.replace('Listening on ', '')
  expect((await fetch(`${url}/health`)).status).toBe(200)
  service.kill('SIGTERM')
  expect(await once(service, 'exit')).toEqual([0, null])
})

test('launchd gets a daemon of its own account, with text that XML cannot misread', () => {
  const text = plistText(spec({ environment: { Service_Urls: 'http://*:80/?a<b&c' }, account: '_farhand' }))
  expect(text).toContain('<string>http://*:80/?a&lt;b&amp;c</string>')
  expect(text).toContain('<key>UserName</key>\n  <string>_farhand</string>')
  const open = [...text.matchAll(/<(\/?)(\w+)[^>/]*>/g)].map(([, end, name]) => [end, name] as const)
  const stack: (string | undefined)[] = []
  for (const [end, name] of open) {
    if (end === '/') {
      expect(stack.pop()).toBe(name)
    } else {
      stack.push(name)
    }
  }
  expect(stack).toEqual([])
  expect(launchd.install(spec()).some((step) => 'run' in step && step.run.includes('bootstrap'))).toBe(true)
})

test('Windows starts the server itself as a service, under a virtual account, with its settings on the command line', () => {
  const manager = windowsService({
    windows: String.raw`C:\Windows`,
    programData: String.raw`C:\ProgramData`,
    programFiles: String.raw`C:\Program Files`,
  })
  const given = spec({
    command: [String.raw`C:\Program Files\Farhand\Farhand.exe`, '--headless', 'a "b" \\'],
    environment: { Service_DataDirectory: String.raw`C:\Data "x"`, Service_Urls: 'http://*:80' },
    dataDirectory: manager.dataDirectory,
    account: manager.account,
  })
  const { commandLine, account } = serviceDefinition(given)
  expect(account).toBe(String.raw`NT SERVICE\Farhand`)
  expect(commandLine).toBe(
    String.raw`"C:\Program Files\Farhand\Farhand.exe" "--headless" "a \"b\" \\" "--as-service" ` +
      String.raw`"--env=Service_DataDirectory=C:\Data \"x\"" "--env=Service_Urls=http://*:80"`,
  )
  const steps = manager.install(given)
  const purposes = steps.flatMap((step) => ('call' in step ? [step.purpose] : []))
  expect(purposes).toEqual([
    String.raw`check that nobody else prepared C:\Program Files\Farhand Service`,
    String.raw`check that nobody else prepared C:\ProgramData\Farhand`,
    'stop the service Farhand',
    // Before the definition: Windows starts at the next boot what is defined.
    String.raw`check that nobody else prepared C:\ProgramData\Farhand`,
    expect.stringContaining(commandLine),
    'start the service Farhand',
  ])
  expect(steps.findLastIndex((step) => !('call' in step))).toBeLessThan(steps.length - 3)
  const runs = steps.flatMap((step) => ('run' in step ? [step.run.join(' ')] : []))
  const grants = runs.filter((run) => run.includes('icacls.exe') && run.includes('/inheritance:r'))
  expect(grants).toEqual([
    expect.stringContaining(`*${serviceSid('Farhand')}:(OI)(CI)M`),
    expect.stringContaining(`*${serviceSid('Farhand')}:(OI)(CI)F`),
  ])
  // The rule of Windows, by an account whose identifier is well known.
  expect(serviceSid('TrustedInstaller')).toBe('S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464')
})

test('uninstalling removes what installing made, and keeps the data', () => {
  for (const manager of [systemd('system', '/root'), systemd('user', '/home/ada'), launchd]) {
    const steps = manager.uninstall()
    expect(steps).toContainEqual({ remove: manager.definition })
    expect(JSON.stringify(steps)).not.toContain('/var/lib/farhand')
  }
})

test('the command line of a service is checked', () => {
  expect(parseServiceCommand(['install', '--user'])).toEqual({ command: 'install', isUser: true, isDry: false })
  expect(parseServiceCommand([])).toBeUndefined()
  expect(() => parseServiceCommand(['start'])).toThrow('needs install, status or uninstall')
  expect(() => parseServiceCommand(['install', '--now'])).toThrow('--now is no option')
})
