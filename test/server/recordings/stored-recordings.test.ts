import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { enroll, type TestAgent } from '../../support/agent.ts'
import { shiftedClock } from '../../support/clock.ts'
import { addMember } from '../../support/people.ts'
import { blockAddress, entriesOf, makeRecording } from '../../support/recorded-session.ts'
import { recordingAgent, type RecordingAgent } from '../../support/recording-agent.ts'
import { account, serverForFile, type Member } from '../../support/server.ts'
import { callerOf, type Caller } from '../../support/session.ts'
import { until } from '../../support/until.ts'

const jobs = shiftedClock(10 * 60_000)
const server = serverForFile({ clock: jobs })
let owner: Member
let technician: Member
let reader: Member
let enrolled: TestAgent
let agent: RecordingAgent
let caller: Caller
beforeAll(async () => {
  const { tenantId } = await server.owner()
  technician = await addMember(server, tenantId, ['device.remote-control.connect'])
  reader = await addMember(server, tenantId, ['appliance.recordings.read'])
  owner = await server.signIn(account)
  enrolled = await enroll(owner)
})
beforeEach(async () => {
  agent = await recordingAgent(owner, { agent: enrolled })
  caller = await callerOf(owner)
})

const list = async () => (await owner.applianceRecordings.list({ query: {} })).items
const read = (recordingId: string, by: Member = owner) => by.applianceRecordings.read({ params: { recordingId } })
const make = (...images: string[]) => makeRecording(owner, caller, agent, images)
const fileOf = (id: string) => join(server.directory, 'recordings', `${id}.recording`)

test('a stored recording is sealed, and the audit log has the digest of its file', async () => {
  const { id, digest } = await make('visible-nowhere')
  const bytes = await readFile(fileOf(id))
  expect(bytes.includes('visible-nowhere')).toBe(false)
  expect(digest).toBe(hash('sha256', bytes, 'hex'))
  const { items } = await owner.applianceAuditLog.list({ query: { kind: 'recording.ended' } })
  expect(items[0]!.details).toMatchObject({ recordingId: id, digest, state: 'complete' })
})

test('only holders of the right read, each reading is an event, and a reading is for its reader (T50)', async () => {
  const { id } = await make('second')
  await expect(technician.applianceRecordings.list({ query: {} })).rejects.toMatchObject({ status: 403 })
  await expect(read(id, technician)).rejects.toMatchObject({ status: 403 })
  const reading = await read(id, reader)
  expect((await owner.fetch(blockAddress(id, reading.id, 0))).status).toBe(404)
  expect((await reader.fetch(blockAddress(id, reading.id, 0))).status).toBe(200)
  await expect(reader.applianceRecordings.remove({ params: { recordingId: id } })).rejects.toMatchObject({
    status: 403,
  })
  const { items } = await owner.applianceAuditLog.list({ query: { kind: 'recording.opened' } })
  expect(items[0]).toMatchObject({ actorId: reader.user.id, details: { recordingId: id } })
  await owner.applianceRecordings.remove({ params: { recordingId: id } })
  await expect(stat(fileOf(id))).rejects.toThrow('ENOENT')
  for (const kind of ['recording.started', 'recording.deleted']) {
    expect((await owner.applianceAuditLog.list({ query: { kind } })).items[0]).toMatchObject({ kind })
  }
})

test('a recording whose file is removed is in the audit log, also if its remover has signed out meanwhile (T09)', async () => {
  const { id } = await make('second')
  const remover = await addMember(server, owner.tenantId, ['appliance.recordings.delete'])
  const { ended } = await server.write(async (models, transaction) => {
    const asked = remover.applianceRecordings.remove({ params: { recordingId: id } })
    await until(() => !existsSync(fileOf(id)))
    await models.Session.destroy({ where: { userId: remover.user.id }, transaction })
    return { ended: Promise.allSettled([asked]) }
  })
  await ended
  const { items } = await owner.applianceAuditLog.list({ query: { kind: 'recording.deleted' } })
  expect(items[0]).toMatchObject({ actorId: remover.user.id, details: { recordingId: id } })
})

describe('a changed file', () => {
  const changes: [string, (bytes: Buffer) => Buffer, string][] = [
    [
      'with a changed bit',
      (bytes) => (bytes.set([bytes.at(-100)! ^ 1], bytes.length - 100), bytes),
      'damaged or was changed',
    ],
    ['without its end', (bytes) => bytes.subarray(0, bytes.length - 1), 'cut off'],
    ['with a block left out', (bytes) => withoutFirstBlock(bytes), 'damaged or was changed'],
  ]
  test.each(changes)('%s is not shown', async (_, change, message) => {
    const { id } = await make('second', 'third')
    await writeFile(fileOf(id), change(await readFile(fileOf(id))))
    await expect(read(id).then((reading) => entriesOf(owner, id, reading))).rejects.toThrow(message)
  })
})

/** The head of the file, and all blocks but the first. */
function withoutFirstBlock(bytes: Buffer): Buffer {
  const length = 8 + bytes.readUInt32BE(8) + bytes.readUInt32BE(12)
  return Buffer.concat([bytes.subarray(0, 8), bytes.subarray(8 + length)])
}

test('recordings that are too old, or more than fit, are removed with their files', async () => {
  const made = [await make('old'), await make('large'), await make('small')]
  const [old, large, small] = made.map(({ id }) => id) as [string, string, string]
  await server.changeRow('recordings', old, 'startedAt = 0')
  await server.changeRow('recordings', large, 'bytes = 900000000000')
  jobs.pass()
  await until(async () => !(await list()).some(({ id }) => id === old || id === large))
  await expect(stat(fileOf(old))).rejects.toThrow('ENOENT')
  await expect(stat(fileOf(large))).rejects.toThrow('ENOENT')
  expect((await list()).map(({ id }) => id)).toContain(small)
})
