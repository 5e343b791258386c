import { expect, test } from 'vitest'
import type { WriteObserver } from '../../../../server/engines/database/database.ts'
import { insertNote, noteIds, open, type Note } from './support.ts'

const insertSql = "INSERT INTO notes SELECT value ->> 'id', value ->> 'text' FROM jsonb_each(?) RETURNING id AS key"
const updateSql = `UPDATE notes SET text = text || (item.value ->> 'text') FROM jsonb_each(?) AS item
  WHERE notes.id = item.value ->> 'id' RETURNING notes.id AS key`
const key = ({ id }: Note) => id

const notes = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `note ${index}`, text: '' }))

test('runs queued at the same time are committed together', async () => {
  const database = await open()
  const sql = `INSERT INTO notes SELECT value ->> 'id', json_array_length(?1) FROM jsonb_each(?1) RETURNING id AS key`
  const batch = database.batch({ sql, key })
  await Promise.all(notes(1_500).map((note) => batch.run(note)))
  const groups = await database.all('SELECT text AS size, count(*) AS notes FROM notes GROUP BY text ORDER BY rowid')
  expect(groups).toEqual([
    { size: '1000', notes: 1_000 },
    { size: '500', notes: 500 },
  ])
})

test('a run resolves after its commit', async () => {
  const database = await open()
  const batch = database.batch({ sql: insertSql, key })
  for (const note of notes(20)) {
    await batch.run(note)
    expect(await database.all('SELECT id FROM notes WHERE id = ?', [note.id])).toEqual([{ id: note.id }])
  }
})

test('a run that violates a constraint rejects alone', async () => {
  const database = await open()
  const batch = database.batch({ sql: insertSql, key })
  const awkward = `'quotes', "more", \\u0041 and ü€😀\n`
  const results = await Promise.allSettled([
    batch.run({ id: 'a', text: '' }),
    batch.run({ id: 'b', text: 'refused' }),
    batch.run({ id: 'c', text: awkward }),
  ])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(results[1]).toMatchObject({ reason: { code: 'SQLITE_CONSTRAINT' } })
  expect(await database.all('SELECT id, text FROM notes')).toEqual([
    { id: 'a', text: '' },
    { id: 'c', text: awkward },
  ])
})

test('of 1,000 runs that include one that is rejected, the others take a few commits', async () => {
  let commits = 0
  const observer: WriteObserver = { write: (work) => work(() => {}), batch: () => void (commits += 1) }
  const database = await open({ observer })
  const batch = database.batch({ sql: insertSql, key })
  const all = notes(1_000).with(617, { id: 'refused', text: 'refused' })
  const results = await Promise.allSettled(all.map((note) => batch.run(note)))
  expect(results.findIndex(({ status }) => status === 'rejected')).toBe(617)
  expect(await noteIds(database)).toHaveLength(999)
  expect(commits).toBeLessThanOrEqual(10)
})

test('runs for the same row are stored in order', async () => {
  const database = await open()
  await insertNote(database, { id: 'a' })
  await insertNote(database, { id: 'b' })
  const batch = database.batch({ sql: updateSql, key })
  await Promise.all(
    ['1', '2', '3', '4', '5'].flatMap((text) => [batch.run({ id: 'a', text }), batch.run({ id: 'b', text })]),
  )
  expect(await database.all('SELECT text FROM notes')).toEqual([{ text: '12345' }, { text: '12345' }])
})

test('queued runs of the same row are merged if the batch can merge, in order, and all resolve', async () => {
  const database = await open()
  await insertNote(database, { id: 'a' })
  await insertNote(database, { id: 'b' })
  const merge = (older: Note, newer: Note) => (newer.text === 'apart' || older.text === 'apart' ? undefined : newer)
  const batch = database.batch({ sql: updateSql, key, merge })
  const texts = ['1', '2', '3', 'apart', '4', '5']
  const results = await Promise.all([
    ...texts.map((text) => batch.run({ id: 'a', text })),
    batch.run({ id: 'b', text: '6' }),
  ])
  expect(results).toEqual(Array(7).fill({ changes: 1 }))
  expect(await database.all('SELECT text FROM notes ORDER BY id')).toEqual([{ text: '3apart5' }, { text: '6' }])
})

test('a merged run that violates a constraint rejects alone', async () => {
  const database = await open()
  await insertNote(database, { id: 'a' })
  const batch = database.batch({ sql: updateSql.replace('text ||', ''), key, merge: (_: Note, newer: Note) => newer })
  const results = await Promise.allSettled(['kept', 'refused'].map((text) => batch.run({ id: 'a', text })))
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect(await database.all('SELECT text FROM notes')).toEqual([{ text: 'kept' }])
})

test('a run resolves with the number of changed rows', async () => {
  const database = await open()
  await insertNote(database, { id: 'there' })
  const batch = database.batch({ sql: updateSql, key })
  const results = Promise.all([batch.run({ id: 'there', text: '!' }), batch.run({ id: 'gone', text: '!' })])
  expect(await results).toEqual([{ changes: 1 }, { changes: 0 }])
})

test('what belongs to a run is stored in its transaction, and rejects that run alone', async () => {
  const database = await open()
  const batch = database.batch({ sql: insertSql, key })
  const alsoInsert = (id: string, text = '') =>
    batch.run({ id, text: '' }, async (transaction) => {
      const replacements = [`${id}, too`, text]
      await database.sequelize.query('INSERT INTO notes VALUES (?, ?)', { replacements, transaction })
    })
  const results = await Promise.allSettled([
    alsoInsert('a'),
    batch.run({ id: 'b', text: '' }),
    alsoInsert('c', 'refused'),
    alsoInsert('d'),
  ])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
  expect((await noteIds(database)).toSorted()).toEqual(['a', 'a, too', 'b', 'd', 'd, too'])
})

test('group commits and other writes alternate', async () => {
  const database = await open()
  const batch = database.batch({ sql: insertSql, key })
  await Promise.all([
    insertNote(database, { id: 'first' }),
    batch.run({ id: 'grouped 1', text: '' }),
    insertNote(database, { id: 'second' }),
    batch.run({ id: 'grouped 2', text: '' }),
  ])
  expect(await noteIds(database)).toEqual(['first', 'grouped 1', 'grouped 2', 'second'])
})

test('a statement that SQLite cannot parse rejects its runs and nothing else', async () => {
  const database = await open()
  const batch = database.batch({ sql: 'UPDATE nothing', key })
  await expect(batch.run({ id: 'a', text: '' })).rejects.toThrow('syntax error')
  await insertNote(database, { id: 'a' })
  expect(await noteIds(database)).toEqual(['a'])
})
