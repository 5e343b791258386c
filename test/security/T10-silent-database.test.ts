import { randomUUID } from 'node:crypto'
import { Subject } from '@microsoft/signalr'
import { afterEach, describe, expect, test } from 'vitest'
import type { PermissionName } from '../../shared/access.ts'
import { writeLock } from '../../server/engines/database/postgres/locks.ts'
import { successOf } from '../../shared/dtos/hub-result.ts'
import { base64 } from '../support/file-agent.ts'
import { atTenant } from '../support/grants.ts'
import { canJoin, joinedForFile } from '../support/joined-servers.ts'
import { addTenantAccount } from '../support/people.ts'
import { recordingAgent } from '../support/recording-agent.ts'
import { integrator } from '../support/server.ts'
import { callerOf, programCaller, startSession } from '../support/session.ts'
import { steady, until } from '../support/until.ts'

/** Time after which no server accepts what has ended. */
const secondMs = 1_000

const lockSql = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = ${writeLock[1]}
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

const secondLater = () => {
  const at = performance.now() + secondMs
  return until(() => performance.now() >= at)
}

const statusOf = (request: Promise<unknown>) =>
  request.then(
    () => 200,
    ({ status }: { status: number }) => status,
  )

describe.runIf(canJoin)('a server whose packets vanish', { timeout: 60_000 }, () => {
  const joined = joinedForFile()
  afterEach(async () => {
    joined.postgresOfTwo.restore()
    joined.redisOfTwo.restore()
    await until(async () => (await statusOf(joined.ownerAtTwo.auth.me({}))) === 200)
    // Jobs that write meanwhile report that they cannot.
    const { log } = joined.two
    if (log.lines.some(({ level }) => level === 'error')) {
      log.claimErrors(/./)
    }
  })

  /** Silences the database for the second server while that server writes nothing: with the lock, nobody else could write. */
  const silence = async () => {
    await until(async () => (await joined.one.rows(lockSql)).length === 0)
    joined.postgresOfTwo.silence()
  }

  /** Key that works at both servers. */
  const keyOfBoth = async (...rights: PermissionName[]) => {
    const { owner, two } = joined
    const program = await addTenantAccount(owner, ['tenant.tags.write' as const, ...rights].map(atTenant))
    const elsewhere = integrator(two.url, { 'x-api-key': program.key })
    const { tenantId } = owner
    let made = 0
    const use = () => statusOf(elsewhere.tags.create({ tenantId, body: { name: `${program.id}-${(made += 1)}` } }))
    await until(async () => (await use()) === 200)
    const end = () =>
      owner.tenantServiceAccounts.revokeCredential({
        params: { tenantId, serviceAccountId: program.id, credentialId: program.credentialId },
      })
    return { key: program.key, use, end }
  }

  test('accepts no key a second after its end at another server, and is current again after it', async () => {
    const { owner, ownerAtTwo, postgresOfTwo } = joined
    const { tenantId } = owner
    const { use, end } = await keyOfBoth()
    await silence()
    await end()
    await secondLater()
    expect(await use()).toBe(503)
    expect(await statusOf(ownerAtTwo.auth.me({}))).toBe(503)
    const meanwhile = await owner.tags.create({ tenantId, body: { name: 'meanwhile' } })
    postgresOfTwo.restore()
    await until(async () => (await use()) === 401)
    expect(await ownerAtTwo.tags.get({ tenantId, params: { tagId: meanwhile.id } })).toMatchObject({
      name: 'meanwhile',
    })
  })

  test('passes on no bytes of running sessions a second later, and all of them when it is current again', async () => {
    const { ownerAtTwo, postgresOfTwo } = joined
    const caller = await callerOf(ownerAtTwo)
    const agent = await recordingAgent(ownerAtTwo)
    const { viewerEnd, deviceEnd } = await startSession(caller, agent)
    const { outputs, connection } = caller.viewer
    const terminalId = randomUUID()
    await caller.viewer.CreateTerminalSession2({ deviceId: agent.id, terminalId })
    const received = () => [viewerEnd.messages.length, deviceEnd.messages.length, outputs.length]
    await silence()
    await secondLater()
    deviceEnd.socket.send('picture')
    viewerEnd.socket.send('key')
    const output = { terminalId, output: 'ls', outputKind: 0, timestamp: new Date().toISOString() } as const
    const passed = agent.SendTerminalOutputToViewer(connection.connectionId!, output)
    await steady(() => received().join(), 50)
    expect(received()).toEqual([0, 0, 0])
    postgresOfTwo.restore()
    await until(() => received().every((count) => count === 1))
    await passed
  })

  test('ends a running session whose right has ended meanwhile before another byte passes', async () => {
    const { ownerAtTwo, postgresOfTwo, two } = joined
    const agent = await recordingAgent(ownerAtTwo)
    const { key, end, use } = await keyOfBoth('device.read', 'device.remote-control.connect')
    const { viewerEnd, deviceEnd } = await startSession(await programCaller(two, { 'x-api-key': key }), agent)
    await silence()
    await end()
    await secondLater()
    deviceEnd.socket.send('picture')
    expect(await use()).toBe(503)
    postgresOfTwo.restore()
    await viewerEnd.closed
    expect(viewerEnd.messages).toEqual([])
  })

  test('ends a download whose right has ended meanwhile before another byte passes', async () => {
    const { ownerAtTwo, postgresOfTwo, two } = joined
    const { id, agent, answers, connection } = await recordingAgent(ownerAtTwo)
    const pieces = new Subject<string>()
    const piece = base64(Buffer.alloc(10))
    answers['UploadFileToViewer'] = ({ streamId }: { streamId: string }) => {
      connection.send('SendFileContentStream', streamId, pieces).catch(() => {})
      pieces.next(piece)
      return successOf({ fileSize: 1_000, fileDisplayName: 'a' })
    }
    const { key, end, use } = await keyOfBoth('device.read', 'device.file-system.transfer-download')
    const url = `${two.url}/api/v1/device-file-system/download/${id}?filePath=/a&tenantId=${agent.tenantId}`
    const { body } = await fetch(url, { headers: { 'x-api-key': key } })
    const reader = body!.getReader()
    expect((await reader.read()).value).toHaveLength(10)
    await silence()
    await end()
    await secondLater()
    pieces.next(piece)
    expect(await use()).toBe(503)
    postgresOfTwo.restore()
    await expect(reader.read()).rejects.toThrow('terminated')
  })

  test('ends a running session that waits for more than ten seconds', async () => {
    const { ownerAtTwo } = joined
    const agent = await recordingAgent(ownerAtTwo)
    const { viewerEnd, deviceEnd } = await startSession(await callerOf(ownerAtTwo), agent)
    await silence()
    await secondLater()
    deviceEnd.socket.send('picture')
    await viewerEnd.closed
    expect(viewerEnd.messages).toEqual([])
  })

  test('without Redis ends within a second what another server has ended', async () => {
    const { redisOfTwo } = joined
    const { use, end } = await keyOfBoth()
    redisOfTwo.silence()
    await end()
    await secondLater()
    // 503 while a slow database answers late; never 200.
    expect([401, 503]).toContain(await use())
    await until(async () => (await use()) === 401)
  })
})
