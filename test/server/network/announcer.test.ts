import { createSocket } from 'node:dgram'
import { Bonjour, type Service } from 'bonjour-service'
import { onTestFinished, expect, test } from 'vitest'
import { createAnnouncer, type Announcement } from '../../../server/network/announcer.ts'
import { labelOf } from '../../../server/network/serving.ts'
import { createTestLog } from '../../support/log.ts'
import { freeUdpPort } from '../../../tools/simulate/free-port.ts'
import { steady, until } from '../../support/until.ts'

async function network() {
  const port = await freeUdpPort()
  const log = createTestLog()
  const found = new Map<string, Service>()
  const options = { interface: '127.0.0.1', bind: '0.0.0.0', port }
  const listener = new Bonjour(options)
  const browser = listener.find({ type: 'farhand' })
  browser.on('up', (service: Service) => found.set(service.name, service))
  browser.on('down', (service: Service) => found.delete(service.name))
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        browser.stop()
        listener.destroy(() => resolve())
      }),
  )
  const announcer = () => {
    const made = createAnnouncer(log, { port })
    onTestFinished(() => made.withdraw())
    return made
  }
  /** The browser queries only once automatically. */
  const sees = (matches: () => unknown) =>
    until(() => {
      browser.update()
      return matches()
    })
  let responses = 0
  listener['server'].mdns.on('response', () => responses++)
  const heard = () => responses
  const say = async (packet: Buffer) => {
    const socket = createSocket('udp4')
    await new Promise<void>((resolve) => socket.bind(0, resolve))
    socket.setMulticastInterface('127.0.0.1')
    await new Promise((resolve) => socket.send(packet, port, '224.0.0.251', resolve))
    await new Promise<void>((resolve) => socket.close(resolve))
  }
  return { log, found, announcer, sees, heard, say }
}

const announcement: Announcement = {
  service: 'farhand',
  name: 'office (maple river)',
  host: 'farhand-0123456789ab',
  port: 5121,
  facts: { authority: 'sha256//x', name: 'office' },
}

test('a service is discovered with its port, its host and its facts', async () => {
  const { announcer, found, sees, log } = await network()
  const ours = announcer()
  ours.announce(announcement, ['127.0.0.1'])
  await sees(() => found.has(announcement.name))
  expect(found.get(announcement.name)).toMatchObject({
    port: 5121,
    host: 'farhand-0123456789ab.local',
    txt: { authority: 'sha256//x', name: 'office' },
  })
  expect([ours.problem, log.lines]).toEqual([null, []])
})

test('a long name that is not Latin is cut between characters, to the 63 bytes of DNS, and discovered', async () => {
  const { announcer, found, sees } = await network()
  const name = labelOf('設定サーバー'.repeat(8), ' (amber falcon)')
  expect(name).toBe(`${'設定サーバー'.repeat(3).slice(0, 16)} (amber falcon)`)
  expect(labelOf('😀'.repeat(20), ' (a)')).toBe(`${'😀'.repeat(14)} (a)`)
  announcer().announce({ ...announcement, name }, ['127.0.0.1'])
  await sees(() => found.has(name))
})

test('a withdrawn service disappears at once', async () => {
  const { announcer, found, sees } = await network()
  const ours = announcer()
  ours.announce(announcement, ['127.0.0.1'])
  await sees(() => found.has(announcement.name))
  await ours.withdraw()
  await until(() => !found.has(announcement.name))
})

test('another port replaces the previous one, and a repeated announcement changes nothing', async () => {
  const { announcer, found, sees } = await network()
  const ours = announcer()
  ours.announce(announcement, ['127.0.0.1'])
  await sees(() => found.has(announcement.name))
  const before = found.get(announcement.name)
  ours.announce(announcement, ['127.0.0.1'])
  expect(found.get(announcement.name)).toBe(before)
  ours.announce({ ...announcement, port: 6000 }, ['127.0.0.1'])
  await sees(() => found.get(announcement.name)?.port === 6000)
})

test('two servers with the same host name are both discovered', async () => {
  const { announcer, found, sees } = await network()
  announcer().announce(announcement, ['127.0.0.1'])
  announcer().announce({ ...announcement, name: 'office (other words)', host: 'farhand-fedcba987654' }, ['127.0.0.1'])
  await sees(() => found.size === 2)
})

test('a repeated query gets few responses, and an invalid packet reports no problem', async () => {
  const { announcer, found, sees, heard, say, log } = await network()
  const ours = announcer()
  ours.announce(announcement, ['127.0.0.1'])
  await sees(() => found.has(announcement.name))
  const before = heard()
  const question = Buffer.from('\x08_farhand\x04_tcp\x05local\0\0\x0c\0\x01', 'latin1')
  const again = Buffer.from('\xc0\x0c\0\x0c\0\x01', 'latin1')
  const header = Buffer.from('\0\0\0\0\x01\xf4\0\0\0\0\0\0', 'latin1')
  const asked = Buffer.concat([header, question, ...Array.from({ length: 499 }, () => again)])
  for (let count = 0; count < 10; count++) {
    await say(asked)
  }
  await say(Buffer.from('\0\0\0\0\0\x01\0\0\0\0\0\0\xff', 'latin1'))
  found.clear()
  await sees(() => heard() > before)
  expect((await steady(heard, 50)) - before).toBeLessThan(50)
  expect([ours.problem, log.lines]).toEqual([null, []])
})

test('an address of another machine is logged once, and breaks nothing', async () => {
  const { announcer, log } = await network()
  const ours = announcer()
  ours.announce(announcement, ['192.0.2.99'])
  await until(() => ours.problem)
  ours.announce({ ...announcement, port: 6000 }, ['192.0.2.98'])
  await until(() => ours.problem)
  expect(log.lines.map(({ level }) => level)).toEqual(['warn'])
  await ours.withdraw()
})
