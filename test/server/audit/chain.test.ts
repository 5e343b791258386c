import { expect, test } from 'vitest'
import { actorOf } from '../../../server/ground/actor.ts'
import { hashOf, sealOfRow } from '../../../server/audit/chain.ts'
import { openAudit, stranger, withoutTriggers } from './scene.ts'

const system = actorOf(undefined, null)

test('checks at the same time are one check (T26)', async () => {
  const { audit } = await openAudit()
  await audit.record(system, { kind: 'server.started' })
  const [first, ...others] = await Promise.all(Array.from({ length: 50 }, () => audit.verify()))
  expect(others.filter((check) => check !== first)).toEqual([])
  await audit.record(system, { kind: 'server.stopped' })
  expect(await audit.verify()).toMatchObject({ holds: true, rows: 2 })
})

async function withRows(count: number) {
  const scene = await openAudit()
  for (let version = 1; version <= count; version++) {
    await scene.audit.record(system, { kind: 'server.started', details: { version } })
  }
  return scene
}

test('each row continues the row before, whether recorded alone, together or in the transaction of a change', async () => {
  const { audit, database, rows, verify } = await withRows(1)
  await Promise.all(Array.from({ length: 20 }, () => audit.record(stranger, { kind: 'sign-in.ended' })))
  await database.write(async (transaction) => {
    await audit.recordIn(transaction, system, [{ kind: 'server.stopped' }, { kind: 'server.started' }])
    await audit.recordIn(transaction, system, [{ kind: 'server.stopped' }])
  })
  const all = await rows()
  expect(all.map(({ id }) => id)).toEqual(Array.from({ length: 24 }, (_, index) => index + 1))
  expect(all.slice(1).map(({ previous }) => previous)).toEqual(all.slice(0, -1).map(({ hash }) => hash))
  expect(await verify()).toEqual({
    holds: true,
    problem: null,
    rowId: null,
    rows: 24,
    removed: 0,
    firstAt: all[0]!.at,
    lostAt: null,
    lastId: 24,
    hash: all.at(-1)!.hash,
  })
})

test('an event that the database rejects fails alone, and the others recorded with it continue the chain', async () => {
  const { audit, edit, rows, verify } = await withRows(1)
  await edit(`CREATE TRIGGER refusing BEFORE INSERT ON audit_events WHEN NEW.browser = 'Refused'
    BEGIN SELECT RAISE(ABORT, 'refused'); END`)
  const refused = actorOf(undefined, '192.0.2.7', 'Refused')
  const results = await Promise.allSettled(
    [stranger, stranger, refused, stranger].map((actor) => audit.record(actor, { kind: 'sign-in.ended' })),
  )
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
  expect(await rows()).toHaveLength(4)
  expect(await verify()).toMatchObject({ holds: true, rows: 4 })
})

test('an event of a change that is rolled back is not in the log', async () => {
  const { audit, database, rows, verify } = await withRows(2)
  const failing = database.write(async (transaction) => {
    await audit.recordIn(transaction, system, [{ kind: 'server.stopped' }])
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  await audit.record(system, { kind: 'server.stopped' })
  expect((await rows()).map(({ id, kind }) => [id, kind])).toEqual([
    [1, 'server.started'],
    [2, 'server.started'],
    [3, 'server.stopped'],
  ])
  expect(await verify()).toMatchObject({ holds: true, rows: 3 })
})

test.each([
  ['changed', "UPDATE audit_events SET actorName = 'somebody else' WHERE id = 2"],
  ['removed', 'DELETE FROM audit_events WHERE id = 2'],
  ['removed at the end', 'DELETE FROM audit_events WHERE id = 3'],
  [
    'inserted out of place',
    'INSERT INTO audit_events SELECT 4, at, kind, outcome, count, tenantId, actorKind, actorId, actorName, credentialKind, credentialId, address, browser, targetKind, targetId, targetName, deviceId, deviceName, details, previous, hash, seal FROM audit_events WHERE id = 3',
  ],
  ['removed from the head', 'DELETE FROM audit_head'],
  ['taken back from the head', 'UPDATE audit_head SET lastId = 2'],
  ['replaced', 'INSERT OR REPLACE INTO audit_events SELECT * FROM audit_events WHERE id = 3'],
])('the database rejects a row that is %s', async (_, sql) => {
  const { edit, verify } = await withRows(3)
  await expect(edit(sql)).rejects.toThrow('audit log')
  expect(await verify()).toMatchObject({ holds: true, rows: 3 })
})

test.each([
  ['UPDATE audit_events SET at = at - 1 WHERE id = 2', 2, 'Row 2 was changed: its content does not match its hash.'],
  ["UPDATE audit_events SET details = '{}' WHERE id = 5", 5, 'Row 5 was changed: its content does not match its hash.'],
  ['DELETE FROM audit_events WHERE id = 3', 3, 'Row 3 is missing.'],
  ['DELETE FROM audit_events WHERE id < 3', 1, 'The rows 1 to 2 are missing.'],
  [
    'DELETE FROM audit_events WHERE id > 3',
    4,
    'The log ends at row 3, and this server wrote 5: the newest rows are missing.',
  ],
  ['DELETE FROM audit_events; DELETE FROM audit_head', null, null],
  ['UPDATE audit_head SET lastId = 4', null, 'The head of the log was changed.'],
  ['DELETE FROM audit_head', null, 'The head of the log is missing.'],
])('a check after "%s" in the file names row %s', async (sql, rowId, problem) => {
  const { edit, verify } = await withRows(5)
  await edit(withoutTriggers + sql)
  expect(await verify()).toMatchObject({ holds: problem === null, rowId, problem })
})

test.each([
  ['after the newest row', 4, 'Row 4 was not written by this server: its seal is wrong.'],
  ['in front of the oldest row', 0, 'Row 0 stands where rows were removed.'],
  ['far in front of the oldest row', -7, 'Row -7 stands where rows were removed.'],
])('a row that is inserted into the file %s, with a hash that fits, is named', async (_, id, problem) => {
  const { edit, rows, verify } = await withRows(3)
  const { seal, ...newest } = (await rows()).at(-1)!
  const row = { ...newest, id, previous: newest.hash }
  const values = Object.values({ ...row, hash: hashOf(row), seal }).map((value) =>
    value === null ? 'NULL' : `'${String(value)}'`,
  )
  const columns = Object.keys({ ...row, seal }).join(', ')
  await edit(`${withoutTriggers} INSERT INTO audit_events (${columns}) VALUES (${values.join(', ')})`)
  expect(await verify()).toMatchObject({ holds: false, rowId: id, problem })
})

test('a change of any column is noticed', async () => {
  const { edit, rows, verify } = await withRows(2)
  const [row] = await rows()
  const columns = Object.entries(row!).filter(([name]) => name !== 'id')
  await edit(withoutTriggers)
  const text = (value: unknown) =>
    value === null ? 'NULL' : typeof value === 'number' ? String(value) : `'${String(value)}'`
  for (const [name, value] of columns) {
    const other = name === 'outcome' ? 'failure' : typeof value === 'number' ? value + 1 : `${String(value)}x`
    await edit(`UPDATE audit_events SET ${name} = ${text(other)} WHERE id = 1`)
    expect(await verify(), name).toMatchObject({ holds: false })
    await edit(`UPDATE audit_events SET ${name} = ${text(value)} WHERE id = 1`)
  }
  expect(columns.length).toBe(21)
  expect(await verify()).toMatchObject({ holds: true })
})

test('a row of an earlier history does not continue the row before', async () => {
  const { edit, rows, database, audit, verify } = await withRows(1)
  const [head] = await database.all<{ hash: string; seal: string }>('SELECT hash, seal FROM audit_head')
  await audit.record(system, { kind: 'server.stopped' })
  const earlier = (await rows())[1]!
  // An older copy is put back, and the server writes on.
  await edit(
    `${withoutTriggers} DELETE FROM audit_events WHERE id = 2;
     UPDATE audit_head SET lastId = 1, hash = '${head!.hash}', seal = '${head!.seal}'`,
  )
  await audit.record(stranger, { kind: 'sign-in.ended' })
  await audit.record(stranger, { kind: 'sign-in.ended' })
  const { hash, seal, at, kind, actorKind, address, browser } = earlier
  const text = (value: unknown) => (value === null ? 'NULL' : `'${String(value)}'`)
  await edit(
    `UPDATE audit_events SET at = ${at}, kind = ${text(kind)}, actorKind = ${text(actorKind)}, address = ${text(address)},
       browser = ${text(browser)}, hash = ${text(hash)}, seal = ${text(seal)} WHERE id = 2`,
  )
  expect(await verify()).toMatchObject({
    holds: false,
    rowId: 3,
    problem: 'Row 3 does not continue row 2: one of them was changed or replaced.',
  })
})

test('a chain that is rewritten from one row on, with right hashes, is noticed by the seal of that row', async () => {
  const { edit, rows, verify, sealer } = await withRows(4)
  const changes: string[] = [withoutTriggers]
  let previous = ''
  for (const { hash: _, seal, ...row } of await rows()) {
    const forged = { ...row, actorName: row.id >= 2 ? 'mallory' : row.actorName, previous }
    previous = hashOf(forged)
    changes.push(
      `UPDATE audit_events SET actorName = ${forged.actorName === null ? 'NULL' : `'${forged.actorName}'`},
       previous = '${forged.previous}', hash = '${previous}' WHERE id = ${row.id};`,
    )
    expect(seal).not.toBe(row.id >= 2 ? sealOfRow(sealer, previous) : '')
  }
  await edit(changes.join('\n'))
  expect(await verify()).toMatchObject({
    holds: false,
    rowId: 2,
    problem: 'Row 2 was not written by this server: its seal is wrong.',
  })
})
