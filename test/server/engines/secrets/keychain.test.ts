import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBare } from '../../../../server/engines/database/connection.ts'
import { serverProgram } from '../../../support/built-programs.ts'

const has = (program: string) => spawnSync(program, ['--version']).error === undefined
const hasKeyring = () => has('gnome-keyring-daemon') && has('dbus-run-session')

/** Reason why the keychain of this system cannot be tested; undefined if it can. */
function obstacle(): string | undefined {
  if (process.platform !== 'linux') {
    return 'the private keyring of this test exists on Linux only'
  }
  return hasKeyring() ? undefined : 'gnome-keyring and dbus are not installed'
}

const reason = obstacle()
if (reason) {
  process.stderr.write(`The keychain tests are skipped: ${reason}.\n`)
}

let home: string

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'farhand-keyring-'))
})

afterAll(() => {
  rmSync(home, { recursive: true, force: true })
})

interface Start {
  folder?: string
  preference?: 'auto' | 'keychain'
  password?: string
  keyringHome?: string
}

/** Starts a server once, in a separate desktop session or (`keyringHome` empty) without a session. */
const start = (
  action: 'seal' | 'unseal',
  text: string,
  { folder = 'a', preference = 'auto', ...options }: Start = {},
) =>
  JSON.parse(
    runProgram(join(import.meta.dirname, 'seal-once.ts'), [join(home, folder), preference, action, text], options),
  ) as {
    kind?: string
    result?: string
    error?: string
  }

/** Moves the secrets of a folder between keychain and key file, as a person at the computer does. */
const move = (folder: string, place: string) => runProgram(serverProgram, ['secrets', place], { folder }).trim()

function runProgram(
  program: string,
  words: readonly string[],
  { folder = '', password = 'test', keyringHome = join(home, 'user') }: Omit<Start, 'preference'>,
): string {
  const command = [process.execPath, program, ...words]
  if (keyringHome !== '') {
    command.unshift(join(import.meta.dirname, 'with-keyring.sh'))
  }
  const [file = '', ...args] = command
  return execFileSync(file, args, {
    env: {
      PATH: process.env['PATH'],
      KEYRING_HOME: keyringHome,
      KEYRING_PASSWORD: password,
      Service_DataDirectory: join(home, folder),
    },
    stdio: ['ignore', 'pipe', 'ignore'],
    encoding: 'utf8',
    // A start from the source takes long on a busy machine.
    timeout: 50_000,
  })
}

describe.skipIf(reason)('a keychain that works', { timeout: 60_000 }, () => {
  test('is chosen at the first start, stores the key for the next, and leaves no key on disk', () => {
    const first = start('seal', 'plain')
    expect(first.kind).toBe('keychain')
    expect(start('unseal', first.result ?? '')).toEqual({ kind: 'keychain', result: 'plain' })
    expect(existsSync(join(home, 'a', 'secrets.json'))).toBe(false)
    const marker: unknown = JSON.parse(readFileSync(join(home, 'a', 'secret-store.json'), 'utf8'))
    expect(marker).toMatchObject({ version: 1, kind: 'keychain', names: ['master-key'] })
  })

  test('gives its key to a key file, and takes it back, on command, which is logged', async () => {
    const { result = '' } = start('seal', 'plain', { folder: 'moved' })
    const folder = join(home, 'moved')
    writeFileSync(join(folder, 'farhand.db'), '')
    expect(move('moved', 'file')).toBe('The secrets are in a key file in the data folder now.')
    expect(existsSync(join(folder, 'secrets.json'))).toBe(true)
    expect(start('unseal', result, { folder: 'moved' })).toEqual({ kind: 'file', result: 'plain' })
    expect(move('moved', 'keychain')).toBe('The secrets are in the keychain now.')
    expect(existsSync(join(folder, 'secrets.json'))).toBe(false)
    expect(start('unseal', result, { folder: 'moved' })).toEqual({ kind: 'keychain', result: 'plain' })
    const database = await openBare(join(folder, 'farhand.db'), 0)
    const events = await database.all(
      "SELECT actorName, details FROM audit_events WHERE kind = 'server.secrets-moved' ORDER BY id",
    )
    await database.close()
    const actorName = 'Somebody at the computer of this server'
    expect(events).toEqual([
      { actorName, details: '{"place":"key file"}' },
      { actorName, details: '{"place":"keychain"}' },
    ])
  })

  test('stores a separate key for every installation', () => {
    const a = start('seal', 'plain')
    const b = start('seal', 'plain', { folder: 'b' })
    expect(b.kind).toBe('keychain')
    expect(start('unseal', a.result ?? '', { folder: 'b' }).error).toBe('The text was sealed with another master key.')
    expect(start('unseal', a.result ?? '')).toMatchObject({ result: 'plain' })
  })

  test('stops the start when the key is missing, and generates no new key', () => {
    const first = start('seal', 'plain')
    const elsewhere = start('seal', 'x', { keyringHome: join(home, 'other-user') })
    expect(elsewhere.error).toMatch(/^The keychain does not contain the secret "master-key" of this data folder/)
    expect(start('unseal', first.result ?? '')).toMatchObject({ result: 'plain' })
  })

  test('stops the start when it is locked or unreachable', () => {
    start('seal', 'plain')
    expect(start('seal', 'x', { password: 'wrong' }).error).toMatch(/^The keychain is locked\. Unlock it/)
    expect(start('seal', 'x', { keyringHome: '' }).error).toMatch(/^No keychain service can be reached/)
  })
})

describe.skipIf(process.platform !== 'linux')('no keychain', { timeout: 60_000 }, () => {
  test('makes a new installation use a key file, also when a keychain appears later', () => {
    const first = start('seal', 'plain', { folder: 'c', keyringHome: '' })
    expect(first.kind).toBe('file')
    if (reason) {
      return
    }
    expect(start('unseal', first.result ?? '', { folder: 'c' })).toEqual({ kind: 'file', result: 'plain' })
    expect(start('seal', 'x', { folder: 'c', preference: 'keychain' }).error).toMatch(
      /^The secrets of this installation are in a key file in the data folder and cannot be moved/,
    )
  })

  test('stops a new installation that requires a keychain', () => {
    const refused = start('seal', 'x', { folder: 'd', preference: 'keychain', keyringHome: '' })
    expect(refused.error).toMatch(/^No keychain service can be reached/)
    expect(existsSync(join(home, 'd', 'secrets.json'))).toBe(false)
  })
})
