import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Account } from '../simulate/fleet.ts'
import { startXvfb } from '../simulate/display.ts'
import { openRemoteControl, type Visit } from '../simulate/relay-viewer.ts'
import { openStage } from './capture-scenes.ts'
import { sleep } from './measure.ts'

const size = { width: 1920, height: 1080 }
const fileBytes = 200 * 1024 * 1024
const frameMs = 1000 / 60

/** Downloads a file of 200 MB again and again; resolves with the bytes that came. */
async function downloadUntil(isOver: () => boolean, visit: Visit, { tenantId }: Account, file: string) {
  const query = new URLSearchParams({ tenantId, filePath: file })
  const address = `${visit.url}/api/v1/device-file-system/download/${visit.deviceId}?${query.toString()}`
  let bytes = 0
  while (!isOver()) {
    const answer = await fetch(address, { headers: { cookie: visit.cookie } })
    if (!answer.ok || !answer.body) {
      throw new Error(`The download was answered with ${answer.status}.`)
    }
    for await (const chunk of answer.body) {
      bytes += chunk.length
      if (isOver()) {
        break
      }
    }
  }
  return bytes
}

/** Runs `work` while the same device sends a large file and a display on which everything moves. */
export async function whileBusy<T>(visit: Visit, account: Account, work: () => Promise<T>) {
  const display = await startXvfb(`${size.width}x${size.height}x24`)
  const stage = await openStage(display.name, size.width, size.height)
  const directory = await mkdtemp(join(tmpdir(), 'farhand-busy-'))
  let isOver = false
  try {
    const file = join(directory, 'large.bin')
    await writeFile(file, randomBytes(fileBytes))
    let frames = 0
    const { remote } = await openRemoteControl(visit, display.name, { onRegions: () => frames++, onEnd: () => {} })
    const drawing = (async () => {
      for (let step = 1; !isOver; step++) {
        stage.scenes.motion(step)
        await sleep(frameMs)
      }
    })()
    const downloading = downloadUntil(() => isOver, visit, account, file)
    await sleep(2000)
    const [framesBefore, started] = [frames, performance.now()]
    const result = await work()
    const seconds = (performance.now() - started) / 1000
    const framesPerSecond = Math.round((frames - framesBefore) / seconds)
    isOver = true
    const [bytes] = await Promise.all([downloading, drawing])
    remote.close()
    return { result, framesPerSecond, downloadMbPerSecond: Math.round(bytes / 1e6 / (seconds + 2)) }
  } finally {
    isOver = true
    stage.close()
    await display.stop()
    await rm(directory, { recursive: true, force: true })
  }
}
