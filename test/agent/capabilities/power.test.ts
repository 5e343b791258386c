import { expect, test } from 'vitest'
import { changePower } from '../../../agent/capabilities/power.ts'
import { linux } from '../../../agent/platform/linux/linux.ts'
import { macos } from '../../../agent/platform/macos/macos.ts'
import { windows } from '../../../agent/platform/windows/windows.ts'
import { platform } from '../../../agent/platform/index.ts'
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
