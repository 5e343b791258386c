import type { Transaction } from 'sequelize'
import { expect, test } from 'vitest'
import type { Database } from '../../../../server/engines/database/database.ts'
import { createNotes, insertNote, open } from './support.ts'

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
