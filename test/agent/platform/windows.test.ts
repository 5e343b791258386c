import { expect, test } from 'vitest'
import { consoleOwner } from '../../../agent/platform/macos/desktops.ts'
import { quoteArgument } from '../../../shared/windows/command-line.ts'
import { grantsIn, readSid } from '../../../shared/windows/access-rules.ts'
import { securityProblem } from '../../../shared/windows/folder-security.ts'
import { dropFilesOf, pathsOfDropFiles } from '../../../agent/platform/windows/desktop/clipboard-formats.ts'
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
  ['that nobody is connected to', { isConnected: false }, /^It has no screen while nobody is connected to it\.$/],
])('a session %s is listed with the reason why it cannot be shown', (_, changes, reason) => {
  const found = describeSession(session(changes), service)
  expect(found.launcher).toBeNull()
  expect(found.obstacle).toMatch(reason)
})

test('a sign-in screen is served by the Windows service, and by no other agent', () => {
  expect(describeSession(session({ user: '' }), service)).toMatchObject({
    username: '',
    isSignedIn: false,
    launcher: { key: '2 ' },
    obstacle: '',
  })
  expect(describeSession(session({ user: '' }), { session: 3, isSystem: false })).toMatchObject({
    launcher: null,
    obstacle: expect.stringMatching(/^Nobody is signed in, and only an agent that runs as a Windows service shows/),
  })
})

test('a locked session is served by the Windows service, whose helper sees the lock screen, and by nobody else', () => {
  expect(describeSession(session({ isLocked: true }), service)).toMatchObject({ obstacle: '' })
  expect(describeSession(session({ isLocked: true }), { session: 2, isSystem: false })).toMatchObject({
    launcher: null,
    obstacle: expect.stringMatching(/^It is locked, and only an agent that runs as a Windows service/),
  })
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

const sids = {
  system: '010100000000000512000000',
  administrators: '01020000000000052000000020020000',
  users: '01020000000000052000000021020000',
  everybody: '010100000000000100000000',
}
type Rule = [who: keyof typeof sids, mask: number, type?: number, flags?: number]
const full = 0x1f01ff

/** Access list in the form of Windows. */
function accessList(rules: readonly Rule[]): Buffer {
  const entries = rules.map(([who, mask, type = 0, flags = 0]) => {
    const sid = Buffer.from(sids[who], 'hex')
    const entry = Buffer.concat([Buffer.alloc(8), sid])
    entry.set([type, flags])
    entry.writeUInt16LE(entry.length, 2)
    entry.writeUInt32LE(mask, 4)
    return entry
  })
  const list = Buffer.concat([Buffer.alloc(8), ...entries])
  list[0] = 2
  list.writeUInt16LE(list.length, 2)
  list.writeUInt16LE(rules.length, 4)
  return list
}

const folder = 'C:\\ProgramData\\Farhand'
const system = 'S-1-5-18'
const trusted = [system, 'S-1-5-32-544']
const usable: Rule[] = [
  ['everybody', full, 1],
  ['system', full],
  ['administrators', full],
  ['users', 0x1200a9],
  ['users', full, 0, 0xb],
]
const appending: Rule = ['users', 0x4]

test.each<[string, Rule[], boolean, string | undefined]>([
  ['that others may read, and write only to what is made in it later', usable, false, undefined],
  ['that everybody may write to', [...usable, ['everybody', full]], false, 'the user or group S-1-1-0 may change'],
  ['that users may add to', [...usable, appending], false, 'the user or group S-1-5-32-545 may change'],
  ['whose parent users may add to', [...usable, appending], true, undefined],
  ['whose parent users may delete from', [['users', 0x40]], true, 'the user or group S-1-5-32-545 may change'],
  ['whose parent users may rename', [['users', 0x1_0000]], true, 'the user or group S-1-5-32-545 may change'],
  ['with a condition', [['users', full, 9]], false, 'the user or group S-1-5-32-545 may change'],
  ['with a rule of an unknown kind', [['users', full, 5]], false, 'the user or group (unknown) may change'],
])('a folder of Windows %s is judged by its access list', (_, rules, isParent, problem) => {
  const security = { owner: system, grants: grantsIn(accessList(rules)) }
  expect(securityProblem(folder, security, trusted, isParent)).toBe(problem && `${problem} ${folder}`)
})

test('users who may change the root of a drive do not make the folders in it unsafe, as no root is renamed', () => {
  const security = { owner: system, grants: grantsIn(accessList([['users', 0x1301bf]])) }
  expect(securityProblem('D:\\', security, trusted, true)).toBeUndefined()
})

test('a folder of Windows that somebody else owns, or that has no access list, is refused', () => {
  const users = readSid(Buffer.from(sids.users, 'hex'))
  expect(securityProblem(folder, { owner: users, grants: [] }, trusted, false)).toBe(
    `${folder} belongs to the user S-1-5-32-545`,
  )
  expect(securityProblem(folder, { owner: system, grants: undefined }, trusted, false)).toBe(
    `everybody may change ${folder}`,
  )
})

test('a list of files on the clipboard that another program made wrongly is read within its bounds (T32)', () => {
  const paths = ['C:\\a.txt', 'D:\\Größe']
  const whole = dropFilesOf(paths)
  expect(pathsOfDropFiles(whole, 500)).toEqual(paths)
  expect(pathsOfDropFiles(whole, 1)).toEqual(paths.slice(0, 1))
  for (const offset of [whole.length, whole.length + 1, 0x7fff_ffff, 0xffff_ffff]) {
    const moved = Buffer.from(whole)
    moved.writeUInt32LE(offset, 0)
    expect(pathsOfDropFiles(moved, 500)).toEqual([])
  }
  // Without the NUL of the list, then without that of the last path.
  expect(pathsOfDropFiles(whole.subarray(0, -2), 500)).toEqual(paths)
  expect(pathsOfDropFiles(whole.subarray(0, -4), 500)).toEqual(paths.slice(0, 1))
  expect([0, 1, 19, 20].map((length) => pathsOfDropFiles(whole.subarray(0, length), 500))).toEqual([[], [], [], []])
})
