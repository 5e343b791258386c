import { isDeepStrictEqual } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { enroll, freshTimestamp, type TestAgent } from '../support/agent.ts'
import { canJoin, isOnlineAt, joinedForFile } from '../support/joined-servers.ts'
import type { TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const office = { name: 'office', macAddresses: ['020000000001'] }
const copy = { name: 'copy-of-office', macAddresses: ['020000000002'] }
const refusal = expect.stringContaining('Two machines use the identity of this device')

/** Connects a machine that has the identity of a device, and reports whenever it is asked. `second`: time of its second report. */
async function machine(server: TestServer, device: TestAgent, facts: typeof office, { second = '' } = {}) {
  const answers: (string | null | undefined)[] = []
  const messages: unknown[] = []
  const report = async (): Promise<void> => {
    const timestamp = second !== '' && answers.length === 1 ? second : freshTimestamp()
    const { isSuccess, reason } = await agent.UpdateDeviceSigned(device.signed(device.report(facts), { timestamp }))
    answers.push(isSuccess ? null : reason)
  }
  const agent = await device.open(server.url, {
    RefreshDeviceInfo: () => void report().catch(() => undefined),
    ReceiveDto: (message) => (messages.push(message), null),
  })
  await report()
  return { ...agent, answers, messages }
}

describe.runIf(canJoin)('two machines with one identity at two servers', () => {
  const joined = joinedForFile()

  /** A device whose two machines both servers know. */
  async function withTwo() {
    const { owner, ownerAtTwo, one, two } = joined
    const device = await enroll(owner)
    const params = { deviceId: device.id }
    await machine(one, device, office)
    // A server that has not heard of the first machine yet would take the device over like one that reconnects.
    await until(() => isOnlineAt(ownerAtTwo, device.id))
    await machine(two, device, copy)
    const listed = await until(async () => {
      const first = (await owner.applianceDevices.absence({ params })).machines
      const second = (await ownerAtTwo.applianceDevices.absence({ params })).machines
      return first.length === 2 && isDeepStrictEqual(first, second) ? first : undefined
    })
    const idOf = (name: string) => listed.find((each) => each.name === name)!.id
    return { device, params, idOf }
  }

  test('are noticed at once, and both servers ask neither', async () => {
    const { owner, ownerAtTwo, one, two } = joined
    const { device, params } = await withTwo()
    for (const member of [owner, ownerAtTwo]) {
      expect(await member.applianceDevices.absence({ params })).toMatchObject({ cause: 'two-machines' })
    }
    for (const server of [one, two]) {
      for (const facts of [office, copy]) {
        expect((await machine(server, device, facts)).answers).toEqual([refusal])
      }
    }
    const rows = await one.rows(
      "SELECT 1 FROM audit_events WHERE kind = 'device.two-machines' AND deviceId = ?",
      device.id,
    )
    expect(rows).toHaveLength(1)
  })

  test('are noticed although the database answers one server late', async () => {
    joined.postgresOfTwo.delay(100)
    onTestFinished(() => joined.postgresOfTwo.delay(0))
    const { idOf } = await withTwo()
    expect(idOf('office')).not.toBe(idOf('copy-of-office'))
  })

  test('are noticed although a later report of the other one was accepted before the report of one', async () => {
    const { owner, ownerAtTwo, one, two } = joined
    const device = await enroll(owner)
    const overtaken = freshTimestamp()
    const first = await machine(one, device, office, { second: overtaken })
    await until(() => isOnlineAt(ownerAtTwo, device.id))
    await machine(two, device, copy)
    await until(async () => {
      const { machines } = await owner.applianceDevices.absence({ params: { deviceId: device.id } })
      return machines.length === 2
    })
    expect(first.answers.slice(0, 2)).toEqual([null, 'Timestamp expired.'])
  })

  test('another server sees a machine connected together with the facts of its report', async () => {
    const { owner, ownerAtTwo, one, two } = joined
    const device = await enroll(owner)
    const params = { deviceId: device.id }
    const first = await machine(two, device, office)
    await first.connection.stop()
    await until(async () => {
      const { isOnline, name } = await ownerAtTwo.devices.get({ params })
      return !isOnline && name === office.name
    })
    await machine(one, device, copy)
    const seen = await until(async () => {
      const found = await ownerAtTwo.devices.get({ params })
      return found.isOnline ? found : undefined
    })
    expect(seen.name).toBe(copy.name)
  })

  test('a choice at one server counts at both, and the other machine gets its key there', async () => {
    const { owner, ownerAtTwo, one, two } = joined
    const { device, params, idOf } = await withTwo()
    await owner.applianceDevices.keepMachine({ params, body: { machineId: idOf('office') } })
    await expect.poll(async () => (await ownerAtTwo.applianceDevices.absence({ params })).machines).toEqual([])
    const second = await machine(two, device, copy)
    expect(second.answers).toEqual([expect.stringContaining('Another machine keeps the identity')])
    await expect.poll(() => second.messages).toMatchObject([{ dtoType: 'appliance.enroll-anew' }])
    expect((await machine(one, device, office)).answers).toEqual([null])
  })

  test('a choice whose message is lost counts at the other server, and the other machine gets its key there', async () => {
    const { owner, ownerAtTwo, redisOfTwo, two } = joined
    const { device, params, idOf } = await withTwo()
    redisOfTwo.silence()
    await owner.applianceDevices.keepMachine({ params, body: { machineId: idOf('office') } })
    redisOfTwo.loseAll()
    await until(async () => (await ownerAtTwo.applianceDevices.absence({ params })).machines.length === 0)
    const second = await machine(two, device, copy)
    expect(second.answers).toEqual([expect.stringContaining('Another machine keeps the identity')])
    await until(() => second.messages.length > 0)
    expect(second.messages).toMatchObject([{ dtoType: 'appliance.enroll-anew' }])
  })

  test('of two people who choose at two servers at once, one decides and the other is rejected', async () => {
    const { owner, ownerAtTwo } = joined
    const { device, params, idOf } = await withTwo()
    const choosers = [owner, ownerAtTwo]
    const ids = [idOf('office'), idOf('copy-of-office')]
    const choices = await Promise.allSettled(
      choosers.map((chooser, index) =>
        chooser.applianceDevices.keepMachine({ params, body: { machineId: ids[index]! } }),
      ),
    )
    const winner = choices.findIndex(({ status }) => status === 'fulfilled')
    expect(choices[1 - winner]).toMatchObject({ status: 'rejected', reason: { status: 409 } })
    const [row] = await joined.one.rows<{ evidence: string }>(
      'SELECT evidence FROM device_evidence WHERE deviceId = ?',
      device.id,
    )
    expect(JSON.parse(row!.evidence)).toMatchObject({ twoMachines: { keptId: ids[winner] } })
    for (const chooser of choosers) {
      await until(async () => (await chooser.applianceDevices.absence({ params })).machines.length === 0)
    }
  })

  test('a device that reconnects at the other server again and again stays one machine', async () => {
    const { owner, ownerAtTwo, one, two } = joined
    const device = await enroll(owner)
    const params = { deviceId: device.id }
    for (const [round, name] of ['a', 'b', 'c', 'd', 'e'].entries()) {
      const agent = await device.open([one, two][round % 2]!.url)
      const answer = await agent.UpdateDeviceSigned(device.signed(device.report({ name })))
      expect(answer.isSuccess).toBe(true)
    }
    for (const member of [owner, ownerAtTwo]) {
      // Reports reach the other server within a second.
      await until(async () => (await member.devices.get({ params })).name === 'e')
      expect((await member.applianceDevices.absence({ params })).machines).toEqual([])
    }
  })
})
