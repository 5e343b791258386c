import { expect, test } from 'vitest'
import { failure, success } from '../../../shared/dtos/hub-result.ts'
import { changePower, changePowerVariant } from '../../../agent/capabilities/power.ts'
import { linux } from '../../../agent/platform/linux/linux.ts'
import { macos } from '../../../agent/platform/macos/macos.ts'
import { windows } from '../../../agent/platform/windows/windows.ts'
import { platform } from '../../../agent/platform/index.ts'
import { powerVariant as windowsVariant } from '../../../agent/platform/windows/power-variant.ts'
import { manualClock } from '../../support/clock.ts'
import { collectingLog } from '../support.ts'

/** Commands passed to `execute`; none is run. */
function commandFor(type: number) {
  const commands: unknown[] = []
  changePower(type, { log: collectingLog(), execute: (command) => void commands.push(command) })
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
  changePower(1, { log, execute: (_, failed) => failed(new Error('not permitted')) })
  expect(log.lines.at(-1)).toContain('The power state was not changed')
})

test('Windows locks connected sessions and signs everybody out, by session', () => {
  const session = { station: 'Console', isRemote: false, isLocked: false }
  const sessions = [
    { ...session, id: 1, user: 'ada', isConnected: true },
    { ...session, id: 2, user: 'bob', isConnected: false },
    { ...session, id: 3, user: '', isConnected: true },
  ]
  const system = 'C:\\Windows\\System32\\'
  expect(windowsVariant('lock', sessions)).toEqual([[`${system}tsdiscon.exe`, '1']])
  expect(windowsVariant('log-off', sessions)).toEqual([
    [`${system}logoff.exe`, '1'],
    [`${system}logoff.exe`, '2'],
  ])
  expect(windowsVariant('firmware', sessions)).toEqual([[`${system}shutdown.exe`, '/r', '/fw', '/t', '0', '/f']])
})

test('macOS can sleep; the other changes need the session of a person', async () => {
  expect(await macos.powerVariant('sleep')).toEqual([['/usr/bin/pmset', 'sleepnow']])
  expect(await macos.powerVariant('lock')).toBeUndefined()
})

test('a change answers when its commands have ended, with the reason of a failure, or after five seconds', async () => {
  const clock = manualClock(0)
  const ask = (commands: readonly (readonly [string])[] | undefined, run: () => Promise<unknown>) =>
    changePowerVariant('sleep', { clock, log: collectingLog(), commands: async () => commands, run })
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
