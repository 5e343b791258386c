import { once } from 'node:events'
import { createServer } from 'node:net'
import { startRealDevice } from '../support/real-device.ts'
import { expect, test } from './support/fixtures.ts'

test.setTimeout(120_000)

// T18: whoever has taken over a VNC server does not get at the tab of the technician.

const number16 = (...values: number[]) => Buffer.concat(values.map((value) => Buffer.from([value >> 8, value & 0xff])))
const number32 = (value: number) => number16(value >>> 16, value & 0xffff)

/** What a server of this size says of itself: 32 bits for each pixel, and a name. */
const serverInit = (width: number, height: number) =>
  Buffer.concat([
    number16(width, height),
    Buffer.from([32, 24, 0, 1]),
    number16(255, 255, 255),
    Buffer.from([16, 8, 0, 0, 0, 0]),
    number32(7),
    Buffer.from('hostile'),
  ])

const update = (...rectangles: Buffer[]) =>
  Buffer.concat([Buffer.from([0, 0]), number16(rectangles.length), ...rectangles])
const desktopSize = (width: number, height: number) => Buffer.concat([number16(0, 0, width, height), number32(-223)])
/** Areas that are filled, one over the other, each in 12 bytes. */
const filled = (width: number, height: number, times: number) =>
  Buffer.concat([
    number16(0, 0, width, height),
    number32(2),
    number32(times),
    Buffer.alloc(4),
    ...Array.from({ length: times }, () => Buffer.concat([Buffer.alloc(4), number16(0, 0, width, height)])),
  ])

/** A VNC server on a port that agents allow: for each connection what it says of its screen, and then of its picture. */
async function startHostile(says: readonly Buffer[][]) {
  let connections = 0
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.write('RFB 003.008\n')
    // Nobody has to prove anything.
    const answers = [Buffer.from([1, 1]), Buffer.alloc(4), ...(says[connections++] ?? [])]
    socket.on('data', () => socket.write(answers.shift() ?? Buffer.alloc(0)))
  })
  for (let port = 5900; port <= 5909; port++) {
    server.listen(port, '127.0.0.1')
    const isListening = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (isListening) {
      return { port, connections: () => connections, stop: () => server.close() }
    }
  }
  throw new Error('No port of VNC is free on this machine.')
}

const attacks: Record<string, Buffer[]> = {
  'a screen of 65,535 times 65,535 pixels': [serverInit(65_535, 65_535)],
  'a screen that grows to one': [serverInit(640, 480), update(desktopSize(40_000, 40_000))],
  'a part that is larger than the screen': [serverInit(640, 480), update(filled(40_000, 40_000, 0))],
  'a small update that draws all of the screen thousands of times': [
    serverInit(8_000, 8_000),
    update(filled(8_000, 8_000, 5_000)),
  ],
}

test('a VNC server that asks for more than a tab can draw is left, and the page goes on', async ({
  server,
  owner,
  context,
}) => {
  const device = await startRealDevice(owner)
  // noVNC complains in the console.
  const page = await context.newPage()
  const hostile = await startHostile(Object.values(attacks))
  await page.goto(`${server.url}/devices/${device.id}/vnc`)
  await page.getByLabel('Port').fill(String(hostile.port))
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  for (const [index, attack] of Object.keys(attacks).entries()) {
    if (index > 0) {
      await page.getByRole('button', { name: 'Connect again' }).click()
    }
    await expect.poll(hostile.connections).toBe(index + 1)
    await expect(page.getByText('The VNC server shows more than a browser can draw'), attack).toBeVisible()
  }
  hostile.stop()
  await device.stop()
})
