import { hash, randomBytes } from 'node:crypto'
import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unwrapKey, wrapKey } from '../../../server/backup/cipher.ts'
import { readCopy, writeCopy } from '../../../server/backup/copy-file.ts'
import { headerOf, readHeader, type Header } from '../../../server/backup/header.ts'
import { fingerprintOf, newRecoveryKey, readRecoveryKey } from '../../../server/backup/recovery-key.ts'
import { outdated } from '../../../server/backup/retention.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farhand-test-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const recoveryKey = newRecoveryKey()
const recovery = readRecoveryKey(recoveryKey)
/** Random, so that it does not compress: three chunks and a half. */
const content = randomBytes(3.5 * 64 * 1024)
const keyOf = ({ sender, keyForRecovery }: Header) => unwrapKey({ sender, wrapped: keyForRecovery }, recovery)

async function write(name: string, entries = [{ name: 'data', content }]) {
  const fileKey = randomBytes(32)
  const { sender, wrapped } = wrapKey(fileKey, recovery.publicKey)
  const header: Header = {
    createdAt: '2026-11-27T02:00:00.000Z',
    appVersion: '1.2.3.0',
    computer: 'büro',
    serverId: 'a',
    recoveryKey: fingerprintOf(recovery.publicKey),
    schema: '0001',
    contentBytes: content.length,
    sender,
    keyForRecovery: wrapped,
    keyForServer: 'sealed',
  }
  const path = join(folder, name)
  await writeCopy(path, header, entries, fileKey)
  return path
}

async function read(path: string) {
  const target = await mkdtemp(join(folder, 'read-'))
  try {
    const { names } = await readCopy(path, target, keyOf)
    return { names, data: await readFile(join(target, 'data')) }
  } finally {
    await rm(target, { recursive: true })
  }
}

/** Bytes after the header. */
async function chunkBytesOf(path: string) {
  await using file = await open(path, 'r')
  const { size } = await file.stat()
  return size - (await readHeader(file, path)).bytes.length
}

const problemOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    ({ name, message }: Error) => `${name}: ${message}`,
  )

describe('a copy', () => {
  test('gives back its files, and names time, version and key without one', async () => {
    const path = await write('whole')
    expect(await headerOf(path)).toMatchObject({ computer: 'büro', recoveryKey: fingerprintOf(recovery.publicKey) })
    const { names, data } = await read(path)
    expect([names, data.equals(content)]).toEqual([['data'], true])
    expect((await readdir(folder)).filter((name) => name.endsWith('.partial'))).toEqual([])
  })

  test('with a flipped bit at any of 60 places is called damaged', async () => {
    const path = await write('flipped-source')
    const flipped = join(folder, 'flipped')
    const bytes = await readFile(path)
    const headerEnd = 900
    const offsets = [
      ...Array.from({ length: 30 }, (_, index) => Math.floor((index * headerEnd) / 30)),
      ...Array.from({ length: 29 }, (_, index) => headerEnd + Math.floor((index * (bytes.length - headerEnd)) / 29)),
      bytes.length - 1,
    ]
    for (const offset of offsets) {
      const changed = Buffer.from(bytes)
      changed[offset]! ^= 1
      await writeFile(flipped, changed)
      expect(await problemOf(read(flipped)), `offset ${offset}`).toMatch(
        /^BackupError: .*(damaged|newer Farhand|not a backup)/,
      )
    }
  })

  test('cut off anywhere, with a chunk moved or with something added is called damaged', async () => {
    const path = await write('cut-source')
    const bytes = await readFile(path)
    const start = bytes.length - (await chunkBytesOf(path))
    const [first, second] = [0, 1].map((index) => bytes.subarray(start + index * 65_552, start + (index + 1) * 65_552))
    const changes = [
      ...[10, start - 2, start, start + 5, start + 65_552, bytes.length - 1].map((end) => bytes.subarray(0, end)),
      Buffer.concat([bytes.subarray(0, start), second!, first!, bytes.subarray(start + 2 * 65_552)]),
      Buffer.concat([bytes, Buffer.from([0])]),
    ]
    for (const [index, changed] of changes.entries()) {
      const cut = join(folder, 'cut')
      await writeFile(cut, changed)
      expect(await problemOf(read(cut)), `change ${index}`).toMatch(/^BackupError: .*(damaged|not a backup)/)
    }
  })

  test('of a later format is left to a newer version', async () => {
    const path = join(folder, 'later')
    const text = 'farhand-backup 2\n{}\n'
    await writeFile(path, `${text}${hash('sha256', text)}\n`)
    expect(await problemOf(read(path))).toContain('newer Farhand')
  })
})

describe('a recovery key', () => {
  test('is read in any case and spacing, with misread letters', () => {
    const typed = recoveryKey.toLowerCase().replaceAll('-', '  ').replaceAll('1', 'l').replaceAll('0', 'o')
    expect(readRecoveryKey(typed).publicKey).toBe(recovery.publicKey)
  })

  test('is read in full-width characters, with any dash, and with invisible characters', () => {
    const fullWidth = recoveryKey.replaceAll(/[A-Z\d]/g, (each) => String.fromCodePoint(each.codePointAt(0)! + 0xfee0))
    for (const typed of [
      fullWidth,
      recoveryKey.replaceAll('-', '\u2013'),
      recoveryKey.replaceAll('-', '\u00A0\u2011\u200B'),
      `\uFEFF${recoveryKey}\r\n`,
    ]) {
      expect(readRecoveryKey(typed).publicKey).toBe(recovery.publicKey)
    }
  })

  test('with any one character mistyped names the group', () => {
    const characters = [...recoveryKey]
    for (const [index, each] of characters.entries()) {
      if (each !== '-') {
        const typed = characters.with(index, each === '7' ? '8' : '7').join('')
        const group = Math.floor(index / 6) + 1
        expect(() => readRecoveryKey(typed)).toThrow(`Group ${group} of the recovery key`)
      }
    }
  })

  test('with two groups swapped, or one left out, is rejected', () => {
    const [first, second, ...rest] = recoveryKey.split('-')
    expect(() => readRecoveryKey([second, first, ...rest].join('-'))).toThrow('mistyped')
    expect(() => readRecoveryKey([first, ...rest].join('-'))).toThrow('8 groups of 5')
  })
})

test('copies of seven days, four weeks and six months are kept, and always the newest', () => {
  const day = 24 * 60 * 60 * 1000
  const copies = Array.from({ length: 400 }, (_, index) => ({ at: Date.UTC(2026, 10, 27, 12) - index * day }))
  const removed = new Set(outdated(copies, { daily: 7, weekly: 4, monthly: 6 }))
  const kept = copies.filter((copy) => !removed.has(copy)).map(({ at }) => new Date(at).toISOString().slice(0, 10))
  expect(kept).toEqual([
    '2026-11-27',
    '2026-11-26',
    '2026-11-25',
    '2026-11-24',
    '2026-11-23',
    '2026-11-22',
    '2026-11-21',
    '2026-11-15',
    '2026-11-08',
    '2026-10-31',
    '2026-09-30',
    '2026-08-31',
    '2026-07-31',
    '2026-06-30',
  ])
  expect(outdated(copies.slice(0, 1), { daily: 0, weekly: 0, monthly: 0 })).toEqual([])
})
