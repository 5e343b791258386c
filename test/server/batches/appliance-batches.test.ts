import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { batchStates, type BatchState, type StartBatchDto } from '../../../shared/dtos/batch.ts'
import { runCommandType } from '../../../shared/dtos/run-command.ts'
import { enroll } from '../../support/agent.ts'
import { CommandFleet, finishedBatch as finished } from '../../support/command-fleet.ts'
import { connectViewer } from '../../support/hub-client.ts'
import { isNight } from '../../support/night.ts'
import { addUser } from '../../support/people.ts'
import { recordingAgent } from '../../support/recording-agent.ts'
import { makeRestrictedToken } from '../../support/restricted-token.ts'
import { account, startTestServer, useTestServer, type Member, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

type Batches = Pick<Member, 'applianceBatches'>

const counts = (some: Partial<Record<BatchState, number>>) => ({
  ...Object.fromEntries(batchStates.map((state) => [state, 0])),
  ...some,
})
const start = (by: Batches, body: StartBatchDto) => by.applianceBatches.start({ body })
const get = (by: Batches, batchId: string) => by.applianceBatches.get({ params: { batchId } })

describe('a batch', () => {
  let server: TestServer
  let owner: Member
  let fleet: CommandFleet
  beforeAll(async () => {
    server = await startTestServer()
    owner = await server.owner()
    fleet = await CommandFleet.start(owner, 8, 6)
  })
  afterAll(async () => {
    fleet.stop()
    await server.stop()
  })
  afterEach(() => {
    fleet.told.length = 0
    fleet.hangs = () => false
    fleet.end = {}
  })
  const online = () => fleet.ids.slice(0, 6)
  const offline = () => fleet.ids.slice(6)

  test('runs a command on every online device and reports the result of each, in the requested order', async () => {
    fleet.end = { exitCode: 3, output: 'one\ntwo\n\n' }
    const deviceIds = fleet.ids.toReversed()
    const batch = await start(owner, { kind: 'run-command', deviceIds, command: 'uname -a' })
    expect(batch).toMatchObject({ kind: 'run-command', command: 'uname -a', timeLimitSeconds: 60, finishedAt: null })
    const { batch: after, results } = await finished(owner, batch.id)
    expect(after.counts).toEqual(counts({ failed: 6, skipped: 2 }))
    expect(results.map(({ deviceId }) => deviceId)).toEqual(deviceIds)
    expect(results[0]).toMatchObject({ state: 'skipped', reason: 'The device is offline.', hasOutput: false })
    expect(results[2]).toMatchObject({
      state: 'failed',
      reason: 'It ended with exit code 3.',
      exitCode: 3,
      lastLine: 'two',
      hasOutput: true,
    })
    const params = { batchId: batch.id, deviceId: deviceIds[2]! }
    const output = await owner.applianceBatches.output({ params })
    expect(output).toEqual({ output: 'one\ntwo\n\n', errorOutput: '', isCut: false })
    expect(fleet.commanded().toSorted()).toEqual(online().toSorted())
    expect(fleet.told.find(({ target }) => target === runCommandType)).toMatchObject({ command: 'uname -a' })
  })

  test.each([
    ['restart', 'ReceivePowerStateChange'],
    ['shut-down', 'ReceivePowerStateChange'],
    ['update-agent', 'ReceiveAgentUpdateTrigger'],
  ] as const)('%s reaches those that are online by %s', async (kind, target) => {
    const { id } = await start(owner, { kind, deviceIds: fleet.ids })
    expect((await finished(owner, id)).batch.counts).toEqual(counts({ done: 6, skipped: 2 }))
    await until(() => fleet.told.length === 6)
    expect(new Set(fleet.told.map((told) => told.target))).toEqual(new Set([target]))
  })

  test('update-agent skips an agent of another make, and says why', async () => {
    const other = await enroll(owner)
    const { connection } = await other.connect(server.url, {
      ReceiveAgentUpdateTrigger: () => expect.fail('The agent was asked for an update.'),
    })
    onTestFinished(() => connection.stop())
    const { id } = await start(owner, { kind: 'update-agent', deviceIds: [other.id, online()[0]!] })
    const { results } = await finished(owner, id)
    const reason = 'The agent is of another make, so this server cannot update it.'
    expect(results).toMatchObject([{ state: 'skipped', reason }, { state: 'done' }])
    expect(fleet.told).toHaveLength(1)
  })

  test('wake lets nearby devices send packets for offline devices, and skips online devices', async () => {
    const { id } = await start(owner, { kind: 'wake', deviceIds: [online()[0]!, offline()[0]!] })
    const { results } = await finished(owner, id)
    expect(results[0]).toMatchObject({ state: 'skipped', reason: 'The device is online already.' })
    expect(results[1]).toMatchObject({ state: 'done', reason: expect.stringMatching(/^Magic packet broadcast by 6/) })
  })

  test('adds a tag and takes it off, offline devices included', async () => {
    const { tenantId } = owner
    const tag = await owner.tags.create({ tenantId, body: { name: 'spring' } })
    const add = await start(owner, { kind: 'add-tag', deviceIds: fleet.ids, tagId: tag.id })
    expect(add.tagName).toBe('spring')
    expect((await finished(owner, add.id)).batch.counts).toEqual(counts({ done: 8 }))
    const { tagIds } = await owner.devices.get({ params: { deviceId: offline()[0]! } })
    expect(tagIds).toEqual([tag.id])
    const remove = await start(owner, { kind: 'remove-tag', deviceIds: [online()[0]!, online()[0]!], tagId: tag.id })
    expect((await finished(owner, remove.id)).results).toMatchObject([{ state: 'done', reason: null }])
    const again = await start(owner, { kind: 'remove-tag', deviceIds: [online()[0]!], tagId: tag.id })
    expect((await finished(owner, again.id)).results[0]!.reason).toBe('It did not have the tag.')
    await expect(start(owner, { kind: 'add-tag', deviceIds: fleet.ids, tagId: randomUUID() })).rejects.toMatchObject({
      status: 404,
    })
  })

  test('is rejected without the members that its kind needs', async () => {
    const { ids: deviceIds } = fleet
    for (const body of [
      { kind: 'run-command', deviceIds },
      { kind: 'run-command', deviceIds, command: '  ' },
      { kind: 'run-command', deviceIds, command: 'x'.repeat(8_001) },
      { kind: 'run-command', deviceIds, command: 'ls', timeLimitSeconds: 3_601 },
      { kind: 'add-tag', deviceIds },
      { kind: 'restart', deviceIds: [] },
      { kind: 'restart', deviceIds: Array.from({ length: 1_001 }, () => randomUUID()) },
    ] as const) {
      await expect(start(owner, { ...body, deviceIds: [...body.deviceIds] })).rejects.toMatchObject({ status: 400 })
    }
  })

  test('reports the answer of agents that cannot run commands', async () => {
    const other = await enroll(owner)
    await other.connect(server.url)
    const busy = await recordingAgent(owner)
    busy.answers.ReceiveDto = () => ({ isSuccess: false, reason: 'This device runs 8 commands already.', value: null })
    const { id } = await start(owner, { kind: 'run-command', deviceIds: [other.id, busy.id], command: 'ls' })
    const { results } = await finished(owner, id)
    expect(results.map(({ state, reason }) => [state, reason])).toEqual([
      ['failed', 'This agent cannot run commands for many devices. Open a terminal.'],
      ['failed', 'This device runs 8 commands already.'],
    ])
  })

  test("stores at most a sentence of an agent's reason, whatever its length (T20)", async () => {
    const chatty = await recordingAgent(owner)
    chatty.answers.ReceiveDto = () => ({ isSuccess: false, reason: 'no '.repeat(200_000), value: null })
    const { id } = await start(owner, { kind: 'run-command', deviceIds: [chatty.id], command: 'ls' })
    const { results } = await finished(owner, id)
    expect(results[0]?.reason?.length).toBeLessThanOrEqual(500)
    expect(Math.max(...server.log.lines.map((line) => JSON.stringify(line).length))).toBeLessThan(10_000)
  })

  test('reports an unknown outcome for a device that disconnects while its command runs', async () => {
    const lost = await CommandFleet.start(owner, 1)
    lost.hangs = () => true
    const { id } = await start(owner, { kind: 'run-command', deviceIds: lost.ids, command: 'ls' })
    await until(() => lost.running === 1)
    lost.stop()
    const { results } = await finished(owner, id)
    expect(results[0]).toMatchObject({ state: 'interrupted', reason: expect.stringContaining('connection') })
  })

  test('counts as a session on each device, which others may end with a reason', async () => {
    fleet.hangs = () => true
    const [deviceId = ''] = online()
    const { id } = await start(owner, { kind: 'run-command', deviceIds: [deviceId], command: 'sleep 1000' })
    const session = await until(async () => (await owner.applianceRemoteSessions.list({})).items[0])
    expect(session).toMatchObject({ kind: 'command', deviceId, isConnected: true, bytesToDevice: 10 })
    await owner.applianceRemoteSessions.end({ params: { sessionId: session.id }, body: { reason: 'Too long.' } })
    const { results } = await finished(owner, id)
    expect(results[0]).toMatchObject({
      state: 'failed',
      reason: expect.stringMatching(/ended the session: Too long\.$/),
    })
    expect((await owner.applianceRemoteSessions.list({})).items).toEqual([])
  })

  test('is stored with nineteen others of the same owner, and can be deleted', async () => {
    const deviceIds = [offline()[0]!]
    for (let index = 0; index < 21; index++) {
      const { id } = await start(owner, { kind: 'restart', deviceIds })
      await finished(owner, id)
    }
    const { items } = await owner.applianceBatches.list({})
    expect(items).toHaveLength(20)
    await owner.applianceBatches.delete({ params: { batchId: items[3]!.id } })
    const left = await owner.applianceBatches.list({})
    expect(left.items.map(({ id }) => id)).toEqual(items.map(({ id }) => id).toSpliced(3, 1))
    const rows = await server.rows('SELECT * FROM batch_results WHERE batchId = ?', items[3]!.id)
    expect(rows).toEqual([])
  })

  test('is rejected while five batches of the same owner are running', async () => {
    fleet.hangs = () => true
    const body: StartBatchDto = { kind: 'run-command', deviceIds: [online()[0]!], command: 'sleep 1000' }
    const others = await addUser(server, owner, ['Tenant Administrator', 'Device Superuser'])
    const answers = await Promise.allSettled(Array.from({ length: 9 }, () => start(owner, body)))
    const begun = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value.id : []))
    expect(begun).toHaveLength(5)
    await expect(start(owner, body)).rejects.toMatchObject({ status: 409 })
    const theirs = await start(others, body)
    for (const [by, batchId] of [...begun.map((id) => [owner, id] as const), [others, theirs.id] as const]) {
      await owner.applianceBatches.cancel({ params: { batchId }, body: {} }).catch(() => {})
      await by.applianceBatches.cancel({ params: { batchId }, body: { endRunning: true } })
      await finished(by, batchId)
    }
  })

  test('is rejected while ten batches of the tokens of one account are running (T44)', async () => {
    fleet.hangs = () => true
    const body: StartBatchDto = { kind: 'run-command', deviceIds: [online()[0]!], command: 'sleep 1000' }
    const tokens = await Promise.all(
      Array.from({ length: 3 }, () => makeRestrictedToken(owner, ['device.read', 'device.terminal.use'])),
    )
    const begun: [Batches, string][] = []
    for (const { client } of tokens.slice(0, 2)) {
      for (let count = 0; count < 5; count++) {
        begun.push([client, (await start(client, body)).id])
      }
    }
    await expect(start(tokens[2]!.client, body)).rejects.toMatchObject({
      status: 409,
      problem: { detail: expect.stringContaining('already have 10 running batches') },
    })
    for (const [by, batchId] of begun) {
      await by.applianceBatches.cancel({ params: { batchId }, body: { endRunning: true } })
      await finished(by, batchId)
    }
  })

  test('does not let viewers send the messages reserved for the server', async () => {
    const viewer = await connectViewer(owner)
    const [deviceId = ''] = online()
    for (const dtoType of [runCommandType, ' Appliance.run-command', 'APPLIANCE.END-COMMAND']) {
      const wrapper = { dtoType, payload: Buffer.from('{}').toString('base64') }
      const answer = await viewer.SendDtoToAgent({ deviceId, wrapper })
      expect(answer).toMatchObject({ isSuccess: false, reason: 'This type of message is reserved for the server.' })
    }
    expect(fleet.told).toEqual([])
  })

  describe('of more devices than the 25 that run a command at the same time', () => {
    let big: CommandFleet
    beforeAll(async () => {
      big = await CommandFleet.start(owner, 27)
      big.hangs = () => true
    })
    afterAll(() => big.stop())
    afterEach(() => void (big.told.length = 0))

    test('can be canceled: waiting devices are not begun, running ones end on request', async () => {
      const { id } = await start(owner, { kind: 'run-command', deviceIds: big.ids, command: 'sleep 1000' })
      await until(() => big.running === 25)
      await owner.applianceBatches.cancel({ params: { batchId: id }, body: {} })
      expect((await get(owner, id)).batch).toMatchObject({
        finishedAt: null,
        counts: counts({ running: 25, canceled: 2 }),
      })
      await expect(owner.applianceBatches.delete({ params: { batchId: id } })).rejects.toMatchObject({ status: 409 })
      await owner.applianceBatches.cancel({ params: { batchId: id }, body: { endRunning: true } })
      const { batch, results } = await finished(owner, id)
      expect(batch.counts).toEqual(counts({ failed: 25, canceled: 2 }))
      expect(new Set(results.map(({ reason }) => reason))).toEqual(new Set(['You canceled it.']))
      expect(big.commanded()).toHaveLength(25)
    })

    test('is canceled although its owner signs out before that is stored (T09)', async () => {
      const { id } = await start(owner, { kind: 'run-command', deviceIds: big.ids, command: 'sleep 1000' })
      await until(() => big.running === 25)
      const other = await server.signIn(account)
      const { ended } = await server.write(async (models, transaction) => {
        const canceled = other.applianceBatches.cancel({ params: { batchId: id }, body: { endRunning: true } })
        await until(() => big.running === 0)
        const [session] = await models.Session.findAll({ order: [['createdAt', 'DESC']], transaction })
        await session!.destroy({ transaction })
        return { ended: Promise.allSettled([canceled]) }
      })
      await ended
      expect((await finished(owner, id)).batch.counts).toEqual(counts({ failed: 25, canceled: 2 }))
    })

    test('after a restart of the server nothing is retried: running devices are interrupted, waiting devices canceled', async () => {
      const { id } = await start(owner, { kind: 'run-command', deviceIds: big.ids, command: 'sleep 1000' })
      await until(() => big.commanded().length === 25)
      await server.restart()
      await big.connect(server.url)
      const { batch, results } = await get(owner, id)
      expect(batch).toMatchObject({ command: 'sleep 1000', counts: counts({ interrupted: 25, canceled: 2 }) })
      expect(batch.finishedAt).not.toBeNull()
      expect(new Set(results.map(({ state, reason }) => `${state}: ${reason}`))).toEqual(
        new Set([
          'interrupted: The server restarted while this was running. The outcome is unknown.',
          'canceled: The server restarted before this began.',
        ]),
      )
      expect(big.commanded()).toHaveLength(25)
    })
  })
})

/** Number of devices that run the command; above the 25 that run it at the same time. */
const ready = isNight ? 250 : 30

test('a batch of many devices, some offline, some refused and one that hangs, ends but for that one', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const { tenantId } = owner
  const fleet = await CommandFleet.start(owner, ready + 8, ready + 3)
  onTestFinished(() => fleet.stop())
  const refused = fleet.ids.slice(0, 3)
  const assignments = refused.map((scopeId) => ({
    principalKind: 'User' as const,
    principalId: owner.user.id,
    permissionName: 'device.terminal.use',
    effect: 'Deny' as const,
    scopeKind: 'Device' as const,
    scopeId,
  }))
  await owner.permissionAssignments.createBatch({ tenantId, body: { assignments } })
  const hanging: string = fleet.ids[5]!
  fleet.hangs = (id) => id === hanging
  const { id } = await start(owner, { kind: 'run-command', deviceIds: fleet.ids, command: 'hostname' })
  await until(async () => (await get(owner, id)).batch.counts.running === 1 && fleet.commanded().length === ready)
  const { batch, results } = await until(async () => {
    const found = await get(owner, id)
    return found.batch.counts.waiting + found.batch.counts.running === 1 ? found : undefined
  })
  expect(batch.counts).toEqual(counts({ done: ready - 1, running: 1, failed: 3, skipped: 5 }))
  expect(results.find(({ state }) => state === 'running')?.deviceId).toBe(hanging)
  expect(results[0]!.reason).toBe('You do not have permission to do this on this device.')
  expect(fleet.mostRunning).toBeLessThanOrEqual(25)
  expect(fleet.commanded().filter((deviceId) => refused.some((id) => id === deviceId))).toEqual([])
  await owner.applianceBatches.cancel({ params: { batchId: id }, body: { endRunning: true } })
  expect((await finished(owner, id)).batch.counts).toEqual(counts({ done: ready - 1, failed: 4, skipped: 5 }))
}, 90_000)
