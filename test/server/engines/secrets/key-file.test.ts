import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLog } from '../../../../server/ground/log.ts'
import { openSecretStore } from '../../../../server/engines/secrets/open.ts'
import { openSealer } from '../../../../server/engines/secrets/sealer.ts'
import { SecretStoreError } from '../../../../server/engines/secrets/store.ts'

let parent: string
let directory: string
let logged: string[]

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'farhand-secrets-'))
  directory = join(parent, 'data')
  logged = []
})

afterEach(() => {
  rmSync(parent, { recursive: true })
})

const log = () => createLog({ default: 'Information' }, { write: (line) => logged.push(line) })
const open = (preference: 'auto' | 'file' | 'keychain' = 'file') =>
  openSecretStore({ directory, preference, log: log() })
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
const keyFile = () => join(directory, 'secrets.json')

test('secrets survive a restart byte for byte', async () => {
  const value = Buffer.from([0, 255, 10, 13, 128])
  const store = await open()
  expect(store.kind).toBe('file')
  expect(await store.get('a')).toBeUndefined()
  await store.set('a', value)
  await store.set('b', Buffer.from('b'))
  const again = await open('auto')
  expect(again.kind).toBe('file')
  expect(await again.get('a')).toEqual(value)
  expect(await again.get('b')).toEqual(Buffer.from('b'))
  await again.delete('a')
  expect(await (await open()).get('a')).toBeUndefined()
})

test('secrets written at the same time are all stored', async () => {
  const store = await open()
  const names = Array.from({ length: 20 }, (_item, index) => `name-${index}`)
  await Promise.all(names.map((name) => store.set(name, Buffer.from(name))))
  const again = await open()
  const found = await Promise.all(names.map(async (name) => (await again.get(name))?.toString()))
  expect(found).toEqual(names)
  expect(readdirSync(directory).toSorted()).toEqual(['secret-store.json', 'secrets.json'])
})

test.skipIf(process.platform === 'win32')(
  'folder and files are restricted to their owner, and restricted again at the next start',
  async () => {
    await (await open()).set('a', Buffer.from('x'))
    expect([directory, keyFile(), join(directory, 'secret-store.json')].map(modeOf)).toEqual(['700', '600', '600'])
    chmodSync(keyFile(), 0o644)
    expect(await (await open()).get('a')).toEqual(Buffer.from('x'))
    expect(modeOf(keyFile())).toBe('600')
    expect(logged.join('')).toContain('Other users of this machine could read the key file')
  },
)

test('no secret is logged', async () => {
  const value = Buffer.from('correct horse battery staple')
  await (await open()).set('a', value)
  await open()
  expect(logged.join('')).not.toContain(value.toString())
  expect(logged.join('')).not.toContain(value.toString('base64'))
})

test('a lost key file stops the start instead of making a new key', async () => {
  const sealed = (await openSealer(await open())).seal('plain', 'here')
  const copy = readFileSync(keyFile())
  rmSync(keyFile())
  await expect(open()).rejects.toThrow(/^The key file does not contain the secret "master-key"/)
  await expect(open('auto')).rejects.toBeInstanceOf(SecretStoreError)
  expect(existsSync(keyFile())).toBe(false)
  writeFileSync(keyFile(), copy)
  expect((await openSealer(await open())).unseal(sealed, 'here').toString()).toBe('plain')
})

test('a key file without its list is still used although a keychain is available', async () => {
  const sealed = (await openSealer(await open())).seal('plain', 'here')
  rmSync(join(directory, 'secret-store.json'))
  const store = await open('auto')
  expect(store.kind).toBe('file')
  expect((await openSealer(store)).unseal(sealed, 'here').toString()).toBe('plain')
})

test.each(['', '{', '{"version":2,"secrets":{}}', '{"version":1,"secrets":{"a":"%%"}}'])(
  'a damaged key file is rejected and not changed: %s',
  async (text) => {
    await (await open()).set('a', Buffer.from('x'))
    writeFileSync(keyFile(), text)
    await expect(open()).rejects.toThrow(/^The key file .* is damaged or was written by a newer version/)
    expect(readFileSync(keyFile(), 'utf8')).toBe(text)
  },
)

test('a damaged list is rejected', async () => {
  await (await open()).set('a', Buffer.from('x'))
  writeFileSync(join(directory, 'secret-store.json'), '{}')
  await expect(open()).rejects.toThrow(/secret-store\.json is damaged/)
})
