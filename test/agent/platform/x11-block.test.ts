import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Desktop } from '../../../agent/platform/desktop/desktop.ts'
import { openX11Desktop } from '../../../agent/platform/linux/x11/desktop.ts'
import { startXvnc, type XDisplay } from '../../../tools/simulate/display.ts'
import { freePort } from '../../../tools/simulate/free-port.ts'
import { until } from '../../support/until.ts'
import { XProgram } from '../desktop/x-program.ts'

const noModifiers = { control: false, shift: false, alt: false, meta: false }
const person = { a: 38 }
const viewer = { b: 56 }

let display: XDisplay
let desktop: Desktop
let program: XProgram
let hands: Hands

const requestOfOnePixel = Buffer.from([3, 0, 0, 0, 0, 0, 0, 1, 0, 1])
/** Header of the update, header of its rectangle, 32 bits of the pixel. */
const updateOfOnePixel = 4 + 12 + 4

interface Hands {
  socket: Socket
  /** Resolves once the display server has handled every key so far: it answers in order. */
  handled(): Promise<void>
}

/**
 * Simulates a person at the device with a VNC client of the display server, whose keys come from a physical keyboard.
 */
async function sitDown(port: number): Promise<Hands> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  let received = Buffer.alloc(0)
  let wake: () => void = () => undefined
  socket.on('data', (bytes: Buffer) => {
    received = Buffer.concat([received, bytes])
    wake()
  })
  const read = async (count: number) => {
    while (received.length < count) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    const bytes = received.subarray(0, count)
    received = received.subarray(count)
    return bytes
  }
  await read(12)
  socket.write('RFB 003.008\n')
  await read(2)
  socket.write(Buffer.from([1]))
  await read(4)
  socket.write(Buffer.from([1]))
  const nameBytes = (await read(24)).readUInt32BE(20)
  await read(nameBytes)
  return {
    socket,
    async handled() {
      socket.write(requestOfOnePixel)
      await read(updateOfOnePixel)
    },
  }
}

function pressOnDevice(symbol: number) {
  for (const isPressed of [1, 0]) {
    hands.socket.write(Buffer.from([4, isPressed, 0, 0, 0, 0, 0, symbol]))
  }
}

function pressFromViewer() {
  const press = { key: 'b', code: 'KeyB', mode: 1, modifiers: noModifiers } as const
  desktop.input.setKey({ ...press, isPressed: true })
  desktop.input.setKey({ ...press, isPressed: false })
}

const keysSeen = async () => (await program.takeEvents('KeyPress')).map(({ keycode }) => keycode)

beforeAll(async () => {
  const port = await freePort()
  display = await startXvnc(port)
  program = await XProgram.start(display.name)
  await program.openWindow(0, 0, 800, 600)
  desktop = await openX11Desktop({ display: display.name })
  desktop.input.movePointer(100, 100)
  hands = await sitDown(port)
})

afterAll(async () => {
  hands?.socket.destroy()
  desktop?.close()
  program?.stop()
  await display?.stop()
})

/** Waits for the `wanted` keys, and until the display server has handled the person's keys. */
async function settledKeys(wanted: number) {
  const seen: number[] = []
  await until(async () => seen.push(...(await keysSeen())) >= wanted)
  await hands.handled()
  return [...seen, ...(await keysSeen())].toSorted((a, b) => a - b)
}

/** Presses the person's key until it takes effect, and takes what arrives of the last tries. */
async function untilItActs() {
  await until(async () => {
    pressOnDevice(0x61)
    return (await keysSeen()).includes(person.a)
  })
  await settledKeys(0)
}

test('the keyboard of the person at the device acts until it is blocked and after it is released, the viewer always', async () => {
  pressOnDevice(0x61)
  await expect.poll(keysSeen).toEqual([person.a])

  expect(await desktop.blockInput.set(true)).toBe(true)
  pressOnDevice(0x61)
  pressFromViewer()
  expect(await settledKeys(1)).toEqual([viewer.b])

  expect(await desktop.blockInput.set(false)).toBe(false)
  pressOnDevice(0x61)
  pressFromViewer()
  expect(await settledKeys(2)).toEqual([person.a, viewer.b])
})

test('a block that ends while its devices are being found leaves none of them blocked', async () => {
  const blocking = desktop.blockInput.set(true).catch(() => undefined)
  expect(await desktop.blockInput.set(false)).toBe(false)
  await blocking
  await untilItActs()
})

test('a session that ends leaves the person free', async () => {
  const other = await openX11Desktop({ display: display.name })
  onTestFinished(() => other.close())
  await other.blockInput.set(true)
  pressOnDevice(0x61)
  expect(await settledKeys(0)).toEqual([])
  other.close()
  await untilItActs()
})
