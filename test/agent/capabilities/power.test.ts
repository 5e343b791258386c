import { join } from 'node:path'
import { expect, test } from 'vitest'
import { failure, success } from '../../../shared/dtos/hub-result.ts'
import { changePower, changePowerNow, changePowerVariant } from '../../../agent/capabilities/power.ts'
import { readVisits, VisitLog } from '../../../agent/capabilities/visit-log.ts'
import { linux } from '../../../agent/platform/linux/linux.ts'
import { macos } from '../../../agent/platform/macos/macos.ts'
import { windows } from '../../../agent/platform/windows/windows.ts'
import { platform } from '../../../agent/platform/index.ts'
import { lockProblem, powerVariants, sessionsOfPeople } from '../../../agent/platform/linux/power-variant.ts'
import { removeSafeModeEntry, restartInSafeMode } from '../../../agent/platform/windows/safe-mode.ts'
import { powerVariant as windowsVariant } from '../../../agent/platform/windows/power-variant.ts'
import { manualClock } from '../../support/clock.ts'
import { collectingLog, temporaryFolder } from '../support.ts'

const openVisits = () => {
  const file = join(temporaryFolder(), 'visits.jsonl')
  return { visits: new VisitLog(file, manualClock(0)), read: () => readVisits(file) }
}

/** Commands passed to `execute`; none is run. */
function commandFor(type: number) {
  const commands: unknown[] = []
  const { visits } = openVisits()
  changePower(type, { log: collectingLog(), visits, execute: (command) => void commands.push(command) })
  return commands
}

test('1 restarts, 2 shuts down, anything else does nothing', () => {
  expect(commandFor(1)).toEqual([platform.powerCommand('restart')])
  expect(commandFor(2)).toEqual([platform.powerCommand('shutdown')])
  expect([...commandFor(0), ...commandFor(3), ...commandFor(NaN)]).toEqual([])
})

test('Windows closes programs at once', () => {
  expect(windows.powerCommand('restart')).toEqual(['C:\\Windows\\System32\\shutdown.exe', '/r', '/t', '0', '/f'])
  expect(windows.powerCommand('shutdown')).toEqual(['C:\\Windows\\System32\\shutdown.exe', '/s', '/t', '0', '/f'])
})

test('macOS stops now', () => {
  expect(macos.powerCommand('restart')).toEqual(['/sbin/shutdown', '-r', 'now'])
  expect(macos.powerCommand('shutdown')).toEqual(['/sbin/shutdown', '-h', 'now'])
})

test('Linux stops by systemd where it runs, otherwise by shutdown', () => {
  const commands = [linux.powerCommand('restart').join(' '), linux.powerCommand('shutdown').join(' ')]
  expect([
    ['systemctl reboot', 'systemctl poweroff'],
    ['/sbin/shutdown -r now', '/sbin/shutdown -h now'],
  ]).toContainEqual(commands)
})

test('a failure is logged', () => {
  const log = collectingLog()
  changePower(1, { log, visits: openVisits().visits, execute: (_, failed) => failed(new Error('not permitted')) })
  expect(log.lines.at(-1)).toContain('The power state was not changed')
})

test('the list of visits names who restarted the device', () => {
  const { visits, read } = openVisits()
  const dependencies = { log: collectingLog(), visits, execute: () => {} }
  changePowerNow('restart', dependencies, { visitorName: 'Ada', organizationName: 'Contoso' })
  changePower(2, dependencies)
  expect(read()).toMatchObject([
    { kind: 'restart', visitor: 'Ada', organization: 'Contoso' },
    { kind: 'shutdown', visitor: '' },
  ])
})

test('Windows locks connected sessions and signs everybody out, by session', async () => {
  const session = { station: 'Console', isRemote: false, isLocked: false }
  const sessions = [
    { ...session, id: 1, user: 'ada', isConnected: true },
    { ...session, id: 2, user: 'bob', isConnected: false },
    { ...session, id: 3, user: '', isConnected: true },
  ]
  const system = 'C:\\Windows\\System32\\'
  const made: string[] = []
  const note = (name: string) => async (id?: number) => void made.push(`${name} ${id}`)
  const calls = { sleep: note('sleep'), disconnect: note('disconnect'), logOff: note('logOff') }
  const change = (wanted: 'lock' | 'log-off') =>
    changePowerVariant(wanted, {
      clock: manualClock(0),
      log: collectingLog(),
      agent: {},
      commands: async () => windowsVariant(wanted, sessions, calls),
    })
  expect([await change('lock'), await change('log-off')]).toEqual([success, success])
  expect(made).toEqual(['disconnect 1', 'logOff 1', 'logOff 2'])
  expect(windowsVariant('firmware', sessions)).toEqual([[`${system}shutdown.exe`, '/r', '/fw', '/t', '0', '/f']])
})

test('macOS can sleep; the other changes need the session of a person', async () => {
  expect(await macos.powerVariant('sleep')).toEqual([['/usr/bin/pmset', 'sleepnow']])
  expect(await macos.powerVariant('lock')).toBeUndefined()
})

test('a change answers when its commands have ended, with the reason of a failure, or after five seconds', async () => {
  const clock = manualClock(0)
  const ask = (commands: readonly (readonly [string])[] | undefined, run: () => Promise<unknown>) =>
    changePowerVariant('sleep', { clock, log: collectingLog(), agent: {}, commands: async () => commands, run })
  expect(await ask([['sleep']], async () => '')).toEqual(success)
  expect(await ask([['sleep']], () => Promise.reject(new Error('Sleep is inhibited')))).toEqual(
    failure('Sleep is inhibited'),
  )
  expect(await ask(undefined, async () => '')).toEqual(failure('The system of this device has no such change.'))
  expect(await ask([], async () => '')).toEqual(failure('Nobody is signed in.'))
  const pending = ask([['sleep']], () => new Promise(() => {}))
  await new Promise(setImmediate)
  clock.advance(5_000)
  expect(await pending).toEqual(success)
})

/** Answers of `loginctl` and `busctl` for a person at a screen, a person at a text console, and a greeter. */
const linuxTools =
  (answers: { isLocked?: boolean; can?: string } = {}) =>
  async (_: string, ...args: string[]) => {
    if (args[0] === 'list-sessions') {
      return ' 2 1000 ada seat0 tty2\n 5 1001 bob - tty3\nc1 120 gdm seat0 tty1\n'
    }
    const locked = answers.isLocked ? 'yes' : 'no'
    const sessions: Record<string, string> = {
      2: `Type=wayland\nClass=user\nLockedHint=${locked}\n`,
      5: 'Type=tty\nClass=user\nLockedHint=no\n',
      c1: 'Type=wayland\nClass=greeter\nLockedHint=no\n',
    }
    return args[0] === 'show-session' ? sessions[args[1]!]! : `s "${args.at(-1) === answers.can ? 'yes' : 'na'}"\n`
  }

test('Linux offers the changes that logind can make, and none without it', async () => {
  expect(await powerVariants(true, linuxTools())).toEqual(['lock', 'log-off'])
  expect(await powerVariants(true, linuxTools({ can: 'CanSuspend' }))).toEqual(['lock', 'log-off', 'sleep'])
  expect(await powerVariants(true, linuxTools({ can: 'CanRebootToFirmwareSetup' }))).toContain('firmware')
  expect(await powerVariants(false, linuxTools({ can: 'CanSuspend' }))).toEqual([])
})

test('a lock on Linux succeeds once the screens of people are locked, and fails where no program locks them', async () => {
  const clock = manualClock(0)
  let isLocked = false
  const answer = changePowerVariant('lock', {
    clock,
    log: collectingLog(),
    agent: {},
    commands: async () => [['loginctl', 'lock-session', '2']],
    run: async () => '',
    lockProblem: (of) => lockProblem(of, () => sessionsOfPeople(linuxTools({ isLocked }))),
  })
  const pass = async () => {
    clock.advance(250)
    await new Promise(setImmediate)
  }
  await pass()
  isLocked = true
  const passing = (async () => {
    for (let number = 0; number < 100; number++) {
      await pass()
    }
  })()
  expect(await answer).toEqual(success)
  await passing

  isLocked = false
  const refused = lockProblem(clock, () => sessionsOfPeople(linuxTools({ isLocked })))
  for (let number = 0; number < 100; number++) {
    await pass()
  }
  expect(await refused).toContain('No program on this desktop reported that it locked the screen.')
})

/** Boot configuration of Windows, with our entry as `bcdedit` lists it in German. */
function bootConfiguration() {
  const id = '{0cb3b571-2f2e-4343-a879-d86a476d7215}'
  const asked: string[] = []
  let hasEntry = false
  const tools = {
    allowService: async (service: string) => void asked.push(`allow ${service}`),
    shutDown: async (...args: string[]) => void asked.push(`shutdown ${args.join(' ')}`),
    bcdedit: async (...args: string[]) => {
      if (args[0] === '/enum') {
        const windowsEntry =
          'Windows-Startladeprogramm\r\n---\r\nBezeichner   {11111111-2f2e-4343-a879-d86a476d7215}\r\ndescription  Windows 11\r\n'
        const ours = `Windows-Startladeprogramm\r\n---\r\nBezeichner   ${id}\r\ndescription  Farhand: safe mode, once\r\n`
        return [windowsEntry, ...(hasEntry ? [ours] : [])].join('\r\n')
      }
      asked.push(args.join(' '))
      hasEntry = args[0] !== '/delete'
      return args[0] === '/copy' ? `Der Eintrag wurde erfolgreich in ${id} kopiert.` : ''
    },
  }
  return { id, asked, tools }
}

test('Windows starts once in safe mode, by an entry that only the next start uses, and removes it afterwards', async () => {
  const { id, asked, tools } = bootConfiguration()
  await restartInSafeMode('Farhand.Agent', tools)
  expect(asked).toEqual([
    'allow Farhand.Agent',
    '/copy {current} /d Farhand: safe mode, once',
    `/set ${id} safeboot network`,
    `/displayorder ${id} /remove`,
    `/bootsequence ${id}`,
    'shutdown /r /t 0 /f',
  ])
  asked.length = 0
  await removeSafeModeEntry(tools, async () => true)
  expect(asked).toEqual([])
  await removeSafeModeEntry(tools, async () => false)
  expect(asked).toEqual([`/delete ${id}`])
})

test('a restart into safe mode that fails leaves no entry for the next start', async () => {
  const { id, asked, tools } = bootConfiguration()
  const shutDown = () => Promise.reject(new Error('A shutdown is in progress.'))
  await expect(restartInSafeMode('Farhand.Agent', { ...tools, shutDown })).rejects.toThrow('in progress')
  expect(asked.slice(-2)).toEqual([`/bootsequence ${id}`, `/delete ${id}`])
})

test('a system without safe mode says so', async () => {
  const asked = changePowerVariant('safe-mode', { clock: manualClock(0), log: collectingLog(), agent: {} })
  expect(await asked).toEqual(failure('The system of this device has no such change.'))
})
