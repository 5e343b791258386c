import { describe, expect, test } from 'vitest'
import { enroll, freshTimestamp, installerKey, TestAgent } from '../support/agent.ts'
import { isNight } from '../support/night.ts'
import { startServerProcess, temporaryFolder } from '../support/server-process.ts'
import { ownerForFile, registerOwner, serverForFile } from '../support/server.ts'

const server = serverForFile()
const owner = ownerForFile(server)

async function prepared() {
  const agent = await enroll(owner)
  const connection = await agent.open(server.url)
  const reasonFor = async (update: object) =>
    (await connection.UpdateDeviceSigned(update as Parameters<typeof connection.UpdateDeviceSigned>[0])).reason
  return { agent, reasonFor }
}

describe('a signed update', () => {
  test('is accepted once, on any connection', async () => {
    const { agent, reasonFor } = await prepared()
    const update = agent.signed(agent.report())
    expect([await reasonFor(update), await reasonFor(update)]).toEqual([null, 'Timestamp expired.'])
    const elsewhere = await agent.open(server.url)
    expect((await elsewhere.UpdateDeviceSigned(update)).reason).toBe('Timestamp expired.')
  })

  test('may be older than the last one, as after a corrected clock, but is also accepted only once', async () => {
    const { agent, reasonFor } = await prepared()
    const earlier = agent.signed(agent.report(), { timestamp: freshTimestamp(Date.now() - 30_000) })
    expect(await reasonFor(agent.signed(agent.report()))).toBeNull()
    expect([await reasonFor(earlier), await reasonFor(earlier)]).toEqual([null, 'Timestamp expired.'])
  })

  test('that was refused does not use up its timestamp', async () => {
    const { agent, reasonFor } = await prepared()
    const update = agent.signed(agent.report())
    const forged = { ...update, dto: { ...update.dto, name: 'forged' } }
    expect([await reasonFor(forged), await reasonFor(update)]).toEqual(['Signature verification failed.', null])
  })

  test('is not accepted again with an additional spelling of a member', async () => {
    const { agent, reasonFor } = await prepared()
    const update = agent.signed(agent.report())
    await reasonFor(update)
    const later = freshTimestamp()
    const tricks = [
      { ...update, Timestamp: later },
      { TIMESTAMP: later, ...update },
      { ...update, Timestamp: later, DTO: { ...update.dto, name: 'forged' } },
    ]
    for (const trick of tricks) {
      expect(await reasonFor(trick)).toBe('Timestamp expired.')
    }
  })
})

describe('after a restart', () => {
  const earlier = (seconds: number) => ({ timestamp: freshTimestamp(Date.now() - seconds * 1000) })

  const slow = { timeout: 60_000 }

  test.runIf(isNight)(
    'by kill -9 nothing that was accepted is accepted again, and the next update is',
    slow,
    async () => {
      const directory = await temporaryFolder()
      const before = await startServerProcess(directory)
      const agent = await enroll(await registerOwner(before.url))
      // Signs all updates with the same time, however long the restart takes.
      const signedAt = ({ timestamp }: { timestamp: string }) => agent.signed(agent.report(), { timestamp })
      const [older, between, newest] = [signedAt(earlier(20)), signedAt(earlier(15)), signedAt(earlier(10))]
      const first = await agent.open(before.url)
      // The order after a clock correction: the older update arrives last.
      expect([await first.UpdateDeviceSigned(newest), await first.UpdateDeviceSigned(older)]).toMatchObject([
        { isSuccess: true },
        { isSuccess: true },
      ])
      await before.kill()

      const after = await startServerProcess(directory)
      const second = await agent.open(after.url)
      const reasons = []
      for (const update of [older, newest, between, agent.signed(agent.report())]) {
        reasons.push((await second.UpdateDeviceSigned(update)).reason)
      }
      expect(reasons).toEqual(['Timestamp expired.', 'Timestamp expired.', 'Timestamp expired.', null])
    },
  )

  test.each([50, -50])('an agent whose clock is %i s behind reports at once', async (behind) => {
    const agent = await enroll(owner)
    for (let round = 0; round < 2; round++) {
      const connection = await agent.open(server.url)
      const { reason } = await connection.UpdateDeviceSigned(agent.signed(agent.report(), earlier(behind)))
      expect(reason).toBeNull()
      await server.restart()
    }
  })

  test('a device that registers with another key starts a new sequence', async () => {
    const agent = await enroll(owner)
    await agent.connect(server.url)
    const successor = new TestAgent(owner.tenantId, agent.id)
    await successor.register(owner, await installerKey(owner))
    await server.restart()
    const connection = await successor.open(server.url)
    const update = successor.signed(successor.report(), earlier(30))
    const reasons = [await connection.UpdateDeviceSigned(update), await connection.UpdateDeviceSigned(update)]
    expect(reasons.map(({ reason }) => reason)).toEqual([null, 'Timestamp expired.'])
  })
})

test('a signed update with any changed part is refused', async () => {
  const { agent, reasonFor } = await prepared()
  const update = agent.signed(agent.report())
  const { dto } = update
  const [drive] = dto.drives!
  const lastDigit = update.timestamp.replace(/\d\+/, (digit) => (digit === '0+' ? '1+' : '0+'))
  const changed: [string, object][] = [
    ...Object.entries({
      name: 'forged',
      is64Bit: !dto.is64Bit,
      totalMemory: Number(dto.totalMemory) + 0.01,
      currentUsers: [],
      drives: [{ ...drive, freeSpace: Number(drive!.freeSpace) + 1 }],
      dnsHostName: '',
    }).map(([name, value]): [string, object] => [name, { ...update, dto: { ...dto, [name]: value } }]),
    ['an added member', { ...update, dto: { ...dto, extra: 1 } }],
    ['a second spelling', { ...update, dto: { ...dto, Name: 'forged' } }],
    ['another order', { ...update, dto: Object.fromEntries(Object.entries(dto).toReversed()) }],
    ['the timestamp', { ...update, timestamp: lastDigit }],
    ['no public key', { ...update, publicKey: null }],
    ['another public key', { ...update, publicKey: 'A'.repeat(43) + '=' }],
    ['no signature', { ...update, signature: '' }],
    ['half a signature', { ...update, signature: update.signature.slice(0, 44) }],
  ]
  for (const [name, forged] of changed) {
    expect([name, await reasonFor(forged)]).toEqual([name, 'Signature verification failed.'])
  }
  expect(await reasonFor(update)).toBeNull()
})
