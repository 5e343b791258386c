import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '../../../../server/ground/log.ts'
import { openSecretStore } from '../../../../server/engines/secrets/open.ts'
import { openSealer, UnsealError, type Sealer } from '../../../../server/engines/secrets/sealer.ts'

let folder: string
let sealer: Sealer

const storeIn = (name: string) =>
  openSecretStore({ directory: join(folder, name), preference: 'file', log: createLog({ default: 'None' }) })

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'farhand-sealer-'))
  sealer = await openSealer(await storeIn('a'))
})

afterAll(() => {
  rmSync(folder, { recursive: true })
})

test.each([Buffer.alloc(0), Buffer.from([0, 1, 255]), Buffer.alloc(100_000, 7)])(
  'sealed bytes are unsealed unchanged',
  (plain) => {
    expect(sealer.unseal(sealer.seal(plain, 'here'), 'here')).toEqual(plain)
  },
)

test('a sealed text opens again, and equal texts are sealed differently', () => {
  const texts = [sealer.seal('geheim ä€', 'here'), sealer.seal('geheim ä€', 'here')]
  expect(texts[0]).not.toBe(texts[1])
  expect(texts.map((text) => sealer.unseal(text, 'here').toString())).toEqual(['geheim ä€', 'geheim ä€'])
})

test('a text sealed before a restart opens after it', async () => {
  const later = await openSealer(await storeIn('a'), { mayCreate: false })
  expect(later.unseal(sealer.seal('plain', 'here'), 'here').toString()).toBe('plain')
})

test('a text moved to another context does not open', () => {
  const text = sealer.seal('plain', 'users/1/totp')
  for (const context of ['users/2/totp', 'users/1/tot', '', 'users/1/totp ']) {
    expect(() => sealer.unseal(text, context)).toThrow(UnsealError)
  }
})

test('a text with a changed character does not open', () => {
  const text = sealer.seal('plain text', 'here')
  for (let index = 0; index < text.length; index += 1) {
    const changed = text.slice(0, index) + (text[index] === 'A' ? 'B' : 'A') + text.slice(index + 1)
    expect(() => sealer.unseal(changed, 'here')).toThrow(UnsealError)
  }
})

test('a shortened or lengthened text does not open', () => {
  const text = sealer.seal('', 'here')
  for (let length = 0; length < text.length; length += 1) {
    expect(() => sealer.unseal(text.slice(0, length), 'here')).toThrow(UnsealError)
  }
  for (const more of ['A', '=', 'AAAA', '\n']) {
    expect(() => sealer.unseal(text + more, 'here')).toThrow(UnsealError)
  }
})

test('a text of another installation does not open', async () => {
  const other = await openSealer(await storeIn('b'))
  expect(() => other.unseal(sealer.seal('plain', 'here'), 'here')).toThrow(
    'The text was sealed with another master key.',
  )
})

test('a missing key is an error, not a new key, where sealed texts may exist', async () => {
  const store = await storeIn('c')
  await expect(openSealer(store, { mayCreate: false })).rejects.toThrow(
    /^The master key of this data folder is missing/,
  )
  expect(await store.get('master-key')).toBeUndefined()
})

test('a key of the wrong size is rejected', async () => {
  const store = await storeIn('d')
  await store.set('master-key', Buffer.alloc(16))
  await expect(openSealer(store)).rejects.toThrow('The master key in the file is damaged. Restore it from a backup.')
  writeFileSync(join(folder, 'd', 'secrets.json'), '{"version":1,"secrets":{"master-key":""}}')
  await expect(openSealer(await storeIn('d'))).rejects.toThrow(/is damaged/)
})
