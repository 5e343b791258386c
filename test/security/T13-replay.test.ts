import { describe, expect, test } from 'vitest'
import { enrol, freshTimestamp } from '../support/agent.ts'
import { useTestServer } from '../support/server.ts'

async function prepared() {
  const server = await useTestServer()
  const owner = await server.owner()
  const agent = await enrol(owner)
  const connection = await agent.open(server.url)
  const reasonFor = async (update: object) =>
    (await connection.UpdateDeviceSigned(update as Parameters<typeof connection.UpdateDeviceSigned>[0])).reason
  return { server, agent, reasonFor }
}

describe('a signed update', () => {
  test('is accepted once, on any connection', async () => {
    const { server, agent, reasonFor } = await prepared()
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
