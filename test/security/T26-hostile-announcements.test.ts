/** Hostile mDNS packets do not block an agent that searches for its server. */
import { createSocket } from 'node:dgram'
import { networkInterfaces } from 'node:os'
import { expect, test } from 'vitest'
import { findAnnounced } from '../../agent/trust/discovery.ts'
import { announcedService } from '../../shared/server-identity.ts'

const multicastPort = 5353
const [ptr, srv] = [12, 33]

const label = (text: string) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)])
const number16 = (value: number) => Buffer.from([value >> 8, value & 0xff])
/** Compressed pointer to an earlier name. */
const nameAt = (at: number) => number16(0xc000 | at)

/** Record with a lifetime of two minutes. */
const record = (name: Buffer, type: number, data: Buffer) =>
  Buffer.concat([name, number16(type), Buffer.from([0, 1, 0, 0, 0, 120]), number16(data.length), data])

/** Answer with many 14-byte records for a service, followed by its address. */
function answerNaming(times: number, service: string): Buffer {
  const kind = Buffer.concat([...[`_${announcedService}`, '_tcp', 'local'].map(label), Buffer.alloc(1)])
  const head = Buffer.concat([
    ...[0, 0x8400, 0, times + 1, 0, 0].map(number16),
    record(kind, ptr, Buffer.concat([label(service), nameAt(12)])),
  ])
  const name = nameAt(12 + kind.length + 10)
  const again = record(nameAt(12), ptr, name)
  const place = record(name, srv, Buffer.concat([...[0, 0, 5121].map(number16), name]))
  return Buffer.concat([head, ...Array.from({ length: times - 1 }, () => again), place])
}

/** Multicasts a packet on the first network of this machine. */
async function say(packet: Buffer) {
  const [own] = Object.values(networkInterfaces()).flatMap((all) => all?.find(({ family }) => family === 'IPv4') ?? [])
  const socket = createSocket('udp4')
  await new Promise<void>((resolve) => socket.bind(0, resolve))
  socket.setMulticastInterface(own?.address ?? '127.0.0.1')
  await new Promise((resolve) => socket.send(packet, multicastPort, '224.0.0.251', resolve))
  await new Promise<void>((resolve) => socket.close(resolve))
}

// The library compares all records of an answer with each other, which takes half a minute for thousands.
test('an answer with thousands of records is truncated to its first records', async () => {
  const [small, large] = [`small ${process.pid}`, `large ${process.pid}`]
  const end = new AbortController()
  const heard: string[] = []
  const searching = findAnnounced(30_000, {
    signal: end.signal,
    isEnough: ({ name }) => heard.push(name) > 0 && name === small,
  })
  // Repeats until the agent listens.
  const saying = setInterval(() => {
    void say(answerNaming(1_000, large)).then(() => say(answerNaming(20, small)))
  }, 500)
  await searching
  clearInterval(saying)
  expect(heard).toContain(small)
  expect(heard).not.toContain(large)
})
