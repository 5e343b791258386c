import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import type { ScreenRegionDto } from '../../shared/remote-control/messages.ts'
import type { RemoteControlViewer } from '../../shared/remote-control/viewer.ts'
import { decodeRegion, viewerOn } from '../simulate/remote-viewer.ts'
import { startProcess } from '../simulate/server-process.ts'
import { openStage, readStamp, stamp, stampNumbers, type Stage } from './capture-scenes.ts'
import { percentile, rounded, sleep } from './measure.ts'

const size = { width: 1920, height: 1080 }
const stepMs = 1000 / 60
const warmUpMs = 1500

interface Device {
  viewer: RemoteControlViewer
  cpuSeconds: () => Promise<number>
  memoryMb: () => Promise<number>
  stop: () => Promise<void>
}

async function startDisplay() {
  const options = ['-displayfd', '3', '-screen', '0', `${size.width}x${size.height}x24`, '-noreset', '-nolisten', 'tcp']
  const server = spawn('Xvfb', options, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
  const [output] = (await once(server.stdio[3] as Readable, 'data')) as [Buffer]
  const stop = async () => {
    server.kill()
    await once(server, 'exit')
  }
  return { name: `:${output.toString().trim()}`, stop }
}

/** A device that shows this display to a viewer, which tells of the regions it gets. */
async function startDevice(display: string, onRegions: (regions: readonly ScreenRegionDto[]) => void): Promise<Device> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
  await once(server, 'listening')
  const connected = once(server, 'connection') as Promise<[WebSocket]>
  const uri = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
  const process = await startProcess('scripts/bench/capture-device.ts', [display, uri])
  const [socket] = await connected
  const viewer = viewerOn(socket, { onRegions, onEnd: () => {} })
  return {
    viewer,
    cpuSeconds: () => process.cpuSeconds(),
    memoryMb: () => process.memoryMb(),
    stop: async () => {
      await process.stop()
      server.close()
    },
  }
}

/** Counts what arrives, and finds out when what it shows was drawn. */
class Counter {
  frames = 0
  bytes = 0
  readonly delaysMs: number[] = []
  readonly #drawnAt: number[] = []
  #isDecoding = false

  start() {
    this.frames = 0
    this.bytes = 0
    this.delaysMs.length = 0
  }

  drawn(step: number) {
    this.#drawnAt[step % stampNumbers] = performance.now()
  }

  async receive(regions: readonly ScreenRegionDto[]) {
    const now = performance.now()
    this.frames++
    this.bytes += regions.reduce((sum, { encodedImage }) => sum + encodedImage.length, 0)
    const corner = regions.find(({ x, y, width }) => x === 0 && y === 0 && width >= stamp.width)
    if (corner && !this.#isDecoding) {
      this.#isDecoding = true
      const { pixels, width } = await decodeRegion(corner)
      const drawnAt = this.#drawnAt[readStamp(pixels, width)]
      if (drawnAt !== undefined) {
        this.delaysMs.push(now - drawnAt)
      }
      this.#isDecoding = false
    }
  }
}

async function play(draw: (step: number) => void, counter: Counter, device: Device, seconds: number) {
  let step = 1
  const startedAt = performance.now()
  const playUntil = async (endMs: number) => {
    for (; performance.now() - startedAt < endMs; step++) {
      const waitMs = startedAt + step * stepMs - performance.now()
      if (waitMs > 0) {
        await sleep(waitMs)
      }
      counter.drawn(step)
      draw(step)
    }
  }
  await playUntil(warmUpMs)
  counter.start()
  const [cpu, from] = [await device.cpuSeconds(), performance.now()]
  await playUntil(warmUpMs + seconds * 1000)
  const elapsed = (performance.now() - from) / 1000
  const used = (await device.cpuSeconds()) - cpu
  return {
    framesPerSecond: rounded(counter.frames / elapsed),
    p50Ms: rounded(percentile(counter.delaysMs, 0.5)),
    p99Ms: rounded(percentile(counter.delaysMs, 0.99)),
    mbps: rounded((counter.bytes * 8) / elapsed / 1e6),
    deviceCores: rounded(used / elapsed),
    deviceMemoryMb: Math.round(await device.memoryMb()),
  }
}

/** Pixels that programs draw at 60 steps a second, until their bytes have reached a viewer. */
export async function capture({ seconds = '8' }: { seconds?: string | undefined }) {
  const display = await startDisplay()
  const counter = new Counter()
  const device = await startDevice(display.name, (regions) => void counter.receive(regions))
  const stage = await openStage(display.name, size.width, size.height)
  try {
    const show = async (scene: keyof Stage['scenes']) => {
      stage.clear()
      await sleep(1000)
      return await play(stage.scenes[scene], counter, device, Number(seconds))
    }
    const typing = await show('typing')
    const scrolling = await show('scrolling')
    const motion = await show('motion')
    await device.viewer.setCapture({ isAutoQualityEnabled: true })
    const motionWithAutomaticQuality = await show('motion')
    return { size, typing, scrolling, motion, motionWithAutomaticQuality }
  } finally {
    stage.close()
    await device.stop()
    await display.stop()
  }
}
