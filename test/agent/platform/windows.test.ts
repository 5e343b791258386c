import { expect, test } from 'vitest'
import { consoleOwner } from '../../../agent/platform/macos/desktops.ts'
import { quoteArgument } from '../../../agent/platform/windows/command-line.ts'
import { describeSession } from '../../../agent/platform/windows/desktops.ts'
import type { WindowsSession } from '../../../agent/platform/windows/sessions.ts'
import { hasDistribution, windowsShells } from '../../../agent/platform/windows/shells.ts'

const session = (changes: Partial<WindowsSession> = {}): WindowsSession => ({
  id: 2,
  user: 'ada',
  station: 'Console',
  isRemote: false,
  isConnected: true,
  isLocked: false,
  ...changes,
})
const service = { session: 0, isSystem: true }

test('the session of a person is served by the Windows service, and by an agent that runs in it', () => {
  for (const self of [service, { session: 2, isSystem: false }]) {
    expect(describeSession(session(), self)).toMatchObject({
      name: 'Console',
      username: 'ada',
      systemSessionId: 2,
      type: 0,
      isSignedIn: true,
      launcher: { key: '2 ada' },
      obstacle: '',
    })
  }
})

test('a session of Remote Desktop is listed as one', () => {
  expect(describeSession(session({ isRemote: true, station: 'RDP-Tcp#3' }), service)).toMatchObject({
    name: 'Remote Desktop: RDP-Tcp#3',
    type: 1,
  })
})

test.each<[string, Partial<WindowsSession>, RegExp]>([
  ['where nobody is signed in', { user: '' }, /^Windows shows its sign-in screen to no program\./],
  ['that nobody is connected to', { isConnected: false }, /^It has no screen while nobody is connected to it\.$/],
  ['that is locked', { isLocked: true }, /^It is locked, and Windows shows its lock screen to no program\./],
])('a session %s is listed with the reason why it cannot be shown', (_, changes, reason) => {
  const found = describeSession(session(changes), service)
  expect(found.launcher).toBeNull()
  expect(found.obstacle).toMatch(reason)
})

test('the session of somebody else is not served by an agent that is no service', () => {
  expect(describeSession(session(), { session: 3, isSystem: false })).toMatchObject({
    launcher: null,
    obstacle: 'Only the Windows service starts programs in the sessions of others, and this agent does not run as one.',
  })
})

test.each([
  ['C:\\Program Files\\x.exe', '"C:\\Program Files\\x.exe"'],
  ['C:\\folder\\', '"C:\\folder\\\\"'],
  ['say "hi"', '"say \\"hi\\""'],
  ['a\\"b', '"a\\\\\\"b"'],
])('the argument %s stays one on a command line of Windows', (argument, quoted) => {
  expect(quoteArgument(argument)).toBe(quoted)
})

test.each([
  ['501 ada\n', { uid: 501, name: 'ada' }],
  ['0 root\n', undefined],
  ['', undefined],
])('the screen of a Mac whose console says %j belongs to %j', (output, owner) => {
  expect(consoleOwner(output)).toEqual(owner)
})

test('a terminal on Windows may run the shells that are there, the Linux of WSL where the person has one', () => {
  const system = 'C:\\Windows\\System32'
  const usual = [`${system}\\WindowsPowerShell\\v1.0\\powershell.exe`, `${system}\\cmd.exe`]
  const isThere = (file: string) => !file.endsWith('pwsh.exe')
  expect(windowsShells(isThere, () => false)).toEqual(usual)
  expect(windowsShells(isThere, () => true)).toEqual([...usual, `${system}\\wsl.exe`])
  expect(
    windowsShells(
      () => false,
      () => true,
    ),
  ).toEqual([])
})

test.each([
  [
    '\r\nHKEY_CURRENT_USER\\Software\\Microsoft\\Windows\\CurrentVersion\\Lxss\r\n' +
      '    DefaultDistribution    REG_SZ    {12345678-90ab-cdef-1234-567890abcdef}\r\n\r\n',
    true,
  ],
  ['\r\nHKEY_CURRENT_USER\\Software\\Microsoft\\Windows\\CurrentVersion\\Lxss\r\n\r\n', false],
  ['', false],
])('whether there is a distribution of WSL is read from %j', (output, isThere) => {
  expect(hasDistribution(output)).toBe(isThere)
})
