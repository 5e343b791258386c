import type { ScreenFrame } from '../../shared/remote-control/messages.ts'
import type { RemoteControlViewer } from '../../shared/remote-control/viewer.ts'
import { startXvfb } from '../simulate/display.ts'
import { openAccount } from '../simulate/fleet.ts'
import { withRealAgent } from '../simulate/real-agent.ts'
import { openRemoteControl } from '../simulate/relay-viewer.ts'
import { decodeRegion } from '../simulate/remote-viewer.ts'
import { cpuSecondsOf, memoryMbOf, withServer } from '../simulate/server-process.ts'
import { connectViewer } from '../simulate/viewer.ts'
import { openStage, readStamp, stamp, stampNumbers, type Stage } from './capture-scenes.ts'
import { percentile, rounded, sleep } from './measure.ts'

const size = { width: 1920, height: 1080 }
const stepMs = 1000 / 60
const warmUpMs = 1500

interface Device {
  viewer: RemoteControlViewer
  /** CPU time of the device's desktop process, and of the server. */
  desktopCpuSeconds: () => Promise<number>
  serverCpuSeconds: () => Promise<number>
  memoryMb: () => Promise<number>
}

/** Runs `work` with a real device and server; a viewer of this display reports each frame. */
async function withDevice<T>(
  display: string,
  onFrame: (frame: ScreenFrame) => void,
  work: (device: Device) => Promise<T>,
): Promise<T> {
  return await withServer({}, async (server) => {
    const account = await openAccount(server.url)
    return await withRealAgent(server.url, account, async (deviceId) => {
      const { connection, viewer } = await connectViewer(server.url, account.cookie)
      const visit = { url: server.url, cookie: account.cookie, viewer, deviceId }
      const { remote, processId } = await openRemoteControl(visit, display, { onFrame, onEnd: () => {} })
      try {
        return await work({
          viewer: remote,
          desktopCpuSeconds: () => cpuSecondsOf(processId),
          serverCpuSeconds: () => server.cpuSeconds(),
          memoryMb: () => memoryMbOf(processId),
        })
      } finally {
        remote.close()
        await connection.stop()
      }
    })
  })
}

/** Counts frames, and measures the delay since the shown step was drawn. */
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

  async receive({ regions }: ScreenFrame) {
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
  const cpu = { desktop: await device.desktopCpuSeconds(), server: await device.serverCpuSeconds() }
  const from = performance.now()
  await playUntil(warmUpMs + seconds * 1000)
  const elapsed = (performance.now() - from) / 1000
  return {
    framesPerSecond: rounded(counter.frames / elapsed),
    p50Ms: rounded(percentile(counter.delaysMs, 0.5)),
    p99Ms: rounded(percentile(counter.delaysMs, 0.99)),
    mbps: rounded((counter.bytes * 8) / elapsed / 1e6),
    deviceCores: rounded(((await device.desktopCpuSeconds()) - cpu.desktop) / elapsed),
    serverCores: rounded(((await device.serverCpuSeconds()) - cpu.server) / elapsed),
    deviceMemoryMb: Math.round(await device.memoryMb()),
  }
}

/** Measures pixels drawn at 60 steps a second until their bytes reach a viewer through server and relay. */
export async function capture({ seconds = '8' }: { seconds?: string | undefined }) {
  const display = await startXvfb(`${size.width}x${size.height}x24`)
  const counter = new Counter()
  const stage = await openStage(display.name, size.width, size.height)
  try {
    const onFrame = (frame: ScreenFrame) => void counter.receive(frame)
    return await withDevice(display.name, onFrame, async (device) => {
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
    })
  } finally {
    stage.close()
    await display.stop()
  }
}
