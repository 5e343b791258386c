import type { Transaction } from 'sequelize'
import { expect, test } from 'vitest'
import type { Database } from '../../../../server/engines/database/database.ts'
import { createTestLog } from '../../../support/log.ts'
import { createNotes, insertNote, noteIds, open, type Note } from './support.ts'

/** A row without its note fails at the commit. */
const createReplies = {
  name: '0002-create-replies',
  up: [
    'CREATE TABLE replies (id TEXT PRIMARY KEY, noteId TEXT NOT NULL REFERENCES notes (id) DEFERRABLE INITIALLY DEFERRED) STRICT',
  ],
}

const insert = (database: Database, transaction: Transaction, id: string) =>
  database.allIn(transaction, 'INSERT INTO notes VALUES (?, ?)', [id, ''])

test('a hook runs after its commit, but not when the commit or the write fails', async () => {
  const database = await open({ migrations: [createNotes, createReplies] })
  const heard: string[] = []
  const reply = (id: string, noteId: string) =>
    database.write(async (transaction) => {
      database.afterCommit(transaction, () => heard.push(id))
      await database.allIn(transaction, 'INSERT INTO replies VALUES (?, ?)', [id, noteId])
    })
  await insertNote(database, { id: 'note' })
  await expect(reply('fails at the commit', 'unknown')).rejects.toThrow('FOREIGN KEY')
  await reply('stored', 'note')
  await expect(reply('stored', 'note')).rejects.toThrow('UNIQUE')
  expect(heard).toEqual(['stored'])
  expect(await database.all('SELECT id FROM replies')).toEqual([{ id: 'stored' }])
})

test('a hook of a shared write that is rolled back does not run', async () => {
  const database = await open()
  const heard: string[] = []
  const share = (id: string) =>
    database.writeShared(async (transaction) => {
      database.afterCommit(transaction, () => heard.push(id))
      await insert(database, transaction, id)
    })
  await Promise.allSettled(['a', 'b', 'a', 'c'].map(share))
  expect(heard).toEqual(['a', 'b', 'c'])
})

test('a hook that throws is logged, and neither its write nor the other hooks fail', async () => {
  const log = createTestLog()
  const database = await open({ log })
  const heard: string[] = []
  const share = (id: string) =>
    database.writeShared(async (transaction) => {
      database.afterCommit(transaction, () => {
        heard.push(id)
        throw new Error(`hook of ${id}`)
      })
      await insert(database, transaction, id)
    })
  await Promise.all(['a', 'b'].map(share))
  expect(heard).toEqual(['a', 'b'])
  expect(await noteIds(database)).toEqual(['a', 'b'])
  expect(log.claimErrors(/^What follows a stored write failed$/)).toHaveLength(2)
})

const batchOptions = {
  sql: "INSERT INTO notes SELECT value ->> 'id', value ->> 'text' FROM jsonb_each(?) RETURNING id AS key",
  key: ({ id }: Note) => id,
}

const kinds: [string, (database: Database, id: string) => Promise<unknown>][] = [
  ['write', (database, id) => database.write((transaction) => insert(database, transaction, id))],
  ['urgent write', (database, id) => database.writeUrgent((transaction) => insert(database, transaction, id))],
  ['shared write', (database, id) => database.writeShared((transaction) => insert(database, transaction, id))],
  ['item of a batch', (database, id) => database.batch(batchOptions).run({ id, text: '' })],
]

test.each(kinds)('a check that fails once a %s has the writer rejects it alone', async (_, store) => {
  const database = await open()
  let isEnded = false
  const check = () => {
    if (isEnded) {
      throw new Error('ended')
    }
  }
  await database.checkingWrites(check, () => store(database, 'before'))
  const end = Promise.withResolvers<void>()
  const holder = database.write(() => end.promise)
  const waiting = Promise.allSettled([
    store(database, 'a'),
    database.checkingWrites(check, () => store(database, 'ended')),
    store(database, 'b'),
  ])
  isEnded = true
  end.resolve()
  await holder
  const outcomes = await waiting
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(outcomes[1]).toMatchObject({ reason: { message: 'ended' } })
  expect((await noteIds(database)).toSorted()).toEqual(['a', 'b', 'before'])
})

test('writes of what checked work leaves running, or has done, are not checked', async () => {
  const database = await open()
  const end = Promise.withResolvers<void>()
  const check = () => {
    throw new Error('ended')
  }
  const holder = database.write(() => end.promise)
  const left: Promise<unknown>[] = []
  await database.checkingWrites(check, async () => {
    left.push(insertNote(database, { id: 'waits' }))
    left.push(end.promise.then(() => insertNote(database, { id: 'later' })))
  })
  end.resolve()
  await Promise.all([holder, ...left])
  await database.checkingWrites(check, () => database.uncheckedWrites(() => insertNote(database, { id: 'done' })))
  await expect(database.checkingWrites(check, () => insertNote(database, { id: 'rejected' }))).rejects.toThrow('ended')
  expect((await noteIds(database)).toSorted()).toEqual(['done', 'later', 'waits'])
})
