import { join } from 'node:path'
import { DataTypes, QueryTypes, type Transaction } from 'sequelize'
import { expect, onTestFinished, test } from 'vitest'
import { openBare } from '../../../../server/engines/database/connection.ts'
import { insertNote, noteIds, open, temporaryFolder } from './support.ts'

test('fifty concurrent writers all succeed, in order', async () => {
  const database = await open()
  const ids = Array.from({ length: 50 }, (_, index) => `note ${index}`)
  await Promise.all(ids.map((id) => insertNote(database, { id })))
  expect(await noteIds(database)).toEqual(ids)
})

test('an urgent write is stored before those that wait', async () => {
  const database = await open()
  const insert = (transaction: Transaction, id: string) =>
    database.allIn(transaction, 'INSERT INTO notes VALUES (?, ?)', [id, ''])
  const begun = Promise.withResolvers<void>()
  const first = database.write(async (transaction) => {
    begun.resolve()
    await insert(transaction, 'first')
  })
  await begun.promise
  const waiting = ['a', 'b'].map((id) => insertNote(database, { id }))
  const urgent = database.writeUrgent((transaction) => insert(transaction, 'urgent'))
  await Promise.all([first, ...waiting, urgent])
  expect(await noteIds(database)).toEqual(['first', 'urgent', 'a', 'b'])
})

test('a failed write leaves nothing behind and does not disturb the next', async () => {
  const database = await open()
  const failed = database.write(async (transaction) => {
    await database.sequelize.query("INSERT INTO notes VALUES ('first half', '')", { transaction })
    throw new Error('changed my mind')
  })
  const next = insertNote(database, { id: 'next' })
  await expect(failed).rejects.toThrow('changed my mind')
  await next
  expect(await noteIds(database)).toEqual(['next'])
})

test('readers do not wait for an open write and see the data committed before', async () => {
  const database = await open()
  await insertNote(database, { id: 'committed' })
  const { promise: read, resolve: haveRead } = Promise.withResolvers<void>()
  const write = database.write(async (transaction) => {
    await database.sequelize.query("INSERT INTO notes VALUES ('open', '')", { transaction })
    await read
  })
  const select = () => database.sequelize.query('SELECT id FROM notes', { type: QueryTypes.SELECT })
  expect(await Promise.all([noteIds(database), select()])).toEqual([['committed'], [{ id: 'committed' }]])
  haveRead()
  await write
  expect(await noteIds(database)).toEqual(['committed', 'open'])
})

test('another program cannot write in the middle of a write', async () => {
  const directory = await temporaryFolder()
  const database = await open({ directory })
  const other = await openBare(join(directory, 'farhand.db'), 0)
  onTestFinished(() => other.close())
  const insert = (id: string) => `INSERT INTO notes VALUES ('${id}', '')`
  await database.write(async (transaction) => {
    await database.sequelize.query('SELECT * FROM notes', { transaction })
    await expect(other.exec(insert('theirs'))).rejects.toThrow('SQLITE_BUSY')
    await database.sequelize.query(insert('ours'), { transaction })
  })
  await other.exec(insert('theirs'))
  expect(await noteIds(database)).toEqual(['ours', 'theirs'])
})

test('every connection has the pragmas, including the one for transactions', async () => {
  const database = await open()
  const names = ['journal_mode', 'synchronous', 'foreign_keys', 'busy_timeout']
  const sql = `SELECT ${names.map((name) => `(SELECT * FROM pragma_${name}) AS ${name}`).join()}`
  const expected = [{ journal_mode: 'wal', synchronous: 2, foreign_keys: 1, busy_timeout: 10_000 }]
  const select = { type: QueryTypes.SELECT } as const
  expect(await database.all(sql)).toEqual(expected)
  expect(await database.sequelize.query(sql, select)).toEqual(expected)
  for (const _ of ['first', 'second']) {
    const inside = database.write((transaction) => database.sequelize.query(sql, { ...select, transaction }))
    expect(await inside).toEqual(expected)
  }
})

test('models work inside write, with foreign keys and unique errors', async () => {
  const database = await open()
  const Note = database.sequelize.define(
    'notes',
    { id: { type: DataTypes.TEXT, primaryKey: true }, text: DataTypes.TEXT },
    { timestamps: false },
  )
  const create = (id: string) => database.write((transaction) => Note.create({ id, text: 'hello' }, { transaction }))
  await create('a')
  await expect(create('a')).rejects.toThrow(expect.objectContaining({ name: 'SequelizeUniqueConstraintError' }))
  await database.write((transaction) => Note.update({ text: 'changed' }, { where: { id: 'a' }, transaction }))
  expect((await Note.findByPk('a'))?.get('text')).toBe('changed')
})

test('a transaction outside the write queue is rejected', async () => {
  const database = await open()
  await expect(database.sequelize.query("INSERT INTO notes VALUES ('a', '')")).rejects.toThrow('readonly')
  await expect(database.all("INSERT INTO notes VALUES ('a', '')")).rejects.toThrow('readonly')
  await expect(database.sequelize.transaction(async () => {})).rejects.toThrow('database.write()')
  const during = database.write(() => database.sequelize.transaction(async () => {}))
  await expect(during).rejects.toThrow('database.write()')
  await insertNote(database, { id: 'the way' })
  expect(await noteIds(database)).toEqual(['the way'])
})

test('a write inside a write is rejected instead of deadlocking', async () => {
  const database = await open()
  await expect(database.write(() => insertNote(database, { id: 'inner' }))).rejects.toThrow('inside a write')
  const end = Promise.withResolvers<void>()
  let next: Promise<unknown> | undefined
  await database.write(async () => {
    next = end.promise.then(() => insertNote(database, { id: 'after it' }))
  })
  end.resolve()
  await next
  expect(await noteIds(database)).toEqual(['after it'])
})

test('a statement of a transaction that has ended is rejected', async () => {
  const database = await open()
  const insert = (transaction: Transaction, id: string) =>
    database.allIn(transaction, 'INSERT INTO notes VALUES (?, ?)', [id, ''])
  const ended = await database.write(async (transaction) => {
    await insert(transaction, 'in time')
    return transaction
  })
  await expect(insert(ended, 'late')).rejects.toThrow('has ended')
  expect(await noteIds(database)).toEqual(['in time'])
})

test('a statement is rejected while its transaction commits', async () => {
  const database = await open()
  const late = Promise.withResolvers<unknown>()
  await database.write(async (transaction) => {
    transaction.afterCommit(() =>
      late.resolve(database.allIn(transaction, "INSERT INTO notes VALUES ('late', '')", []).catch(String)),
    )
  })
  expect(await late.promise).toContain('has ended')
  expect(await noteIds(database)).toEqual([])
})

test('closing waits for requested writes and rejects later ones', async () => {
  const directory = await temporaryFolder()
  const database = await open({ directory })
  const batch = database.batch<{ id: string; text: string }>({
    sql: "INSERT INTO notes SELECT value ->> 'id', value ->> 'text' FROM jsonb_each(?) WHERE true ON CONFLICT DO UPDATE SET text = excluded.text RETURNING id AS key",
    key: ({ id }) => id,
  })
  const asked = [
    ...Array.from({ length: 10 }, (_, index) => insertNote(database, { id: `note ${index}` })),
    // Three items of the same row need three groups.
    ...['1', '2', '3'].map((text) => batch.run({ id: 'grouped', text })),
  ]
  const closed = database.close()
  await expect(insertNote(database, { id: 'late' })).rejects.toThrow('The database is closed')
  await expect(batch.run({ id: 'late', text: '' })).rejects.toThrow('The database is closed')
  await Promise.all([...asked, closed, database.close()])

  const again = await open({ directory })
  expect(await noteIds(again)).toHaveLength(11)
  expect(await again.all("SELECT text FROM notes WHERE id = 'grouped'")).toEqual([{ text: '3' }])
})
