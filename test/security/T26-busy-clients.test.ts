import { describe, expect, test } from 'vitest'
import { createWire, whole, type WireClient } from '../support/wire.ts'

/** Messages of one client read in one event-loop iteration. */
const most = 16
const count = 500

const message = (id: number, target: string) =>
  `{"type":1,"invocationId":"${id}","target":"${target}","arguments":["x"]}\x1e`

/** Sends all messages, and counts the answers of each event-loop iteration until all have come. */
async function answersPerTurn(clients: readonly WireClient[], send: (client: WireClient) => void) {
  const written = () => clients.reduce((sum, client) => sum + client.take().length, 0)
  written()
  clients.forEach(send)
  const turns = []
  for (let answered = 0; answered < clients.length * count && turns.length < 100_000; answered += turns.at(-1)!) {
    turns.push(written())
    await new Promise((resolve) => setImmediate(resolve))
  }
  return turns
}

const connect = (wire: ReturnType<typeof createWire>, userId: string) => wire.connect({ cut: whole, userId })

describe('a client that calls as fast as it can', () => {
  test.each([
    ['Echo', 'that answer at once'],
    ['EchoLater', 'that answer without an event-loop iteration'],
    ['ForbiddenLater', 'that it may not make'],
    ['Nothing', 'of methods that do not exist'],
  ])('is read in turns: calls of %s, %s', async (target) => {
    const client = await connect(createWire(), 'mallory')
    const text = Array.from({ length: count }, (_, id) => message(id, target)).join('')
    const turns = await answersPerTurn([client], ({ send }) => send.call(client, text))
    expect(Math.max(...turns)).toBeLessThanOrEqual(most)
  })

  test('is read in turns when each message is a frame of its own', async () => {
    const client = await connect(createWire(), 'mallory')
    const turns = await answersPerTurn([client], () => {
      for (let id = 0; id < count; id++) {
        client.send(message(id, 'Echo'))
      }
    })
    expect(Math.max(...turns)).toBeLessThanOrEqual(most)
  })

  test('gets no more turns by more connections, and leaves every other turn to others', async () => {
    const wire = createWire()
    const busy = await Promise.all(Array.from({ length: 20 }, () => connect(wire, 'mallory')))
    const other = await connect(wire, 'ada')
    const text = Array.from({ length: count }, (_, id) => message(id, 'EchoLater')).join('')
    other.take()
    busy.forEach((client) => client.send(text))
    other.send(text)
    const turns = []
    let answered = 0
    for (; answered < count && turns.length < 1_000; answered += other.take().length) {
      turns.push(busy.reduce((sum, client) => sum + client.take().length, 0))
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(answered).toBe(count)
    // The first messages of each connection are read without a turn.
    expect(Math.max(...turns.slice(2))).toBeLessThanOrEqual(most)
    expect(turns.length).toBeLessThan(3 * (count / most))
  })
})
