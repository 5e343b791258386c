import type { Transaction } from 'sequelize'
import { expect, test } from 'vitest'
import type { Database } from '../../../../server/engines/database/database.ts'
import { noteIds, open } from './support.ts'

const insert = (database: Database, id: string, text = '') =>
  database.writeShared(async (transaction) => {
    await database.sequelize.query('INSERT INTO notes VALUES (?, ?)', { replacements: [id, text], transaction })
    return id
  })

const ids = (count: number) => Array.from({ length: count }, (_, index) => `note ${index}`)

test('writes that wait are answered in order, with what they returned, once all are stored', async () => {
  const database = await open()
  const answered: string[] = []
  const stored: number[] = []
  await Promise.all(
    ids(50).map(async (id) => {
      answered.push(await insert(database, id))
      stored.push((await noteIds(database)).length)
    }),
  )
  expect(answered).toEqual(ids(50))
  expect(await noteIds(database)).toEqual(ids(50))
  // The first write of a group is answered after the commit of the whole group.
  expect(Math.min(...stored)).toBeGreaterThanOrEqual(32)
})

test('a write that fails is rolled back and rejected alone', async () => {
  const database = await open()
  const halves = database.writeShared(async (transaction) => {
    await database.sequelize.query("INSERT INTO notes VALUES ('half', '')", { transaction })
    throw new Error('changed its mind')
  })
  const results = await Promise.allSettled([
    insert(database, 'a'),
    halves,
    insert(database, 'b', 'refused'),
    insert(database, 'a'),
    insert(database, 'c'),
  ])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected', 'fulfilled'])
  expect(results[1]).toMatchObject({ reason: { message: 'changed its mind' } })
  expect(await noteIds(database)).toEqual(['a', 'c'])
})

test('a write that fails alone stores nothing', async () => {
  const database = await open()
  await expect(insert(database, 'a', 'refused')).rejects.toThrow('Validation error')
  expect(await noteIds(database)).toEqual([])
})

test('items of all writes that share a transaction are stored together, without those of a write that fails', async () => {
  const database = await open()
  const stores: (readonly string[])[] = []
  const store = async (transaction: Transaction, texts: readonly string[]) => {
    stores.push(texts)
    await database.sequelize.query('INSERT INTO notes VALUES (?, ?)', {
      replacements: ['all', texts.join()],
      transaction,
    })
  }
  const write = (text: string) =>
    database.writeShared(async (transaction) => {
      database.storeBeforeCommit(transaction, store, [text])
      if (text === 'b') {
        throw new Error('changed its mind')
      }
    })
  const results = await Promise.allSettled(['a', 'b', 'c'].map(write))
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(stores).toEqual([['a', 'c']])
  expect(await database.all('SELECT text FROM notes')).toEqual([{ text: 'a,c' }])
})

test('an item that comes after those of its transaction were stored is an error, which rolls the transaction back', async () => {
  const database = await open()
  const tooLate = async (transaction: Transaction) =>
    database.storeBeforeCommit(transaction, async () => {}, ['an item of an item'])
  const write = database.write(async (transaction) => {
    await database.sequelize.query("INSERT INTO notes VALUES ('a', '')", { transaction })
    database.storeBeforeCommit(transaction, tooLate, ['an item'])
  })
  await expect(write).rejects.toThrow('An item was added after those of its transaction were stored.')
  expect(await noteIds(database)).toEqual([])
})

test('an item that the database rejects before the commit rejects its write alone', async () => {
  const database = await open()
  const store = async (transaction: Transaction, texts: readonly string[]) => {
    for (const text of texts) {
      await database.sequelize.query('INSERT INTO notes VALUES (?, ?)', { replacements: [text, text], transaction })
    }
  }
  const results = await Promise.allSettled(
    ['a', 'refused', 'b'].map((text) =>
      database.writeShared(async (transaction) => database.storeBeforeCommit(transaction, store, [text])),
    ),
  )
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await noteIds(database)).toEqual(['a', 'b'])
})

test('a full database rejects a whole group, and accepts writes again when there is room', async () => {
  const database = await open()
  await insert(database, 'before')
  const setLimit = (pages: number) =>
    database.write((transaction) => database.sequelize.query(`PRAGMA max_page_count = ${pages}`, { transaction }))
  await setLimit(1)
  const large = 'x'.repeat(100_000)
  const results = await Promise.allSettled(['a', 'b'].map((id) => insert(database, id, large)))
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await setLimit(1_000_000)
  await insert(database, 'after', large)
  expect(await noteIds(database)).toEqual(['before', 'after'])
})

test('a shared write inside a write is rejected instead of a deadlock', async () => {
  const database = await open()
  await expect(database.write(() => insert(database, 'inner'))).rejects.toThrow('inside a write')
  await expect(database.writeShared(() => insert(database, 'inner'))).rejects.toThrow('inside a write')
  await insert(database, 'after')
  expect(await noteIds(database)).toEqual(['after'])
})
