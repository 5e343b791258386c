import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startXvfb } from '../simulate/display.ts'
import { openRemoteControl } from '../simulate/relay-viewer.ts'
import { connectViewer } from '../simulate/viewer.ts'
import { openStage } from './capture-scenes.ts'
import { sleep } from './measure.ts'

/**
 * Keeps a device busy from a separate process, so that the load does not disturb measurements: repeatedly downloads a
 * file of 200 MB, and watches a display in full motion. `busy-device.ts URL COOKIE TENANT DEVICE`; answers each message
 * with the counts since the previous message.
 */
const [url = '', cookie = '', tenantId = '', deviceId = ''] = process.argv.slice(2)
const size = { width: 1920, height: 1080 }
const fileBytes = 200 * 1024 * 1024
const frameMs = 1000 / 60
const settleMs = 2000

const counts = { frames: 0, bytes: 0 }
const directory = await mkdtemp(join(tmpdir(), 'farhand-busy-'))
const display = await startXvfb(`${size.width}x${size.height}x24`)
const stage = await openStage(display.name, size.width, size.height)

process.on('message', () => {
  process.send?.({ ...counts })
  Object.assign(counts, { frames: 0, bytes: 0 })
})
process.on('SIGTERM', () => {
  void Promise.all([display.stop(), rm(directory, { recursive: true, force: true })]).then(() => process.exit(0))
})

async function draw() {
  for (let step = 1; ; step++) {
    stage.scenes.motion(step)
    await sleep(frameMs)
  }
}

async function download(filePath: string) {
  const query = new URLSearchParams({ tenantId, filePath })
  for (;;) {
    const address = `${url}/api/v1/device-file-system/download/${deviceId}?${query.toString()}`
    const answer = await fetch(address, { headers: { cookie } })
    for await (const chunk of answer.body ?? []) {
      counts.bytes += (chunk as Uint8Array).length
    }
  }
}

const file = join(directory, 'large.bin')
await writeFile(file, randomBytes(fileBytes))
const { viewer } = await connectViewer(url, cookie)
const visit = { url, cookie, viewer, deviceId }
await openRemoteControl(visit, display.name, { onFrame: () => counts.frames++, onEnd: () => {} })
// Run until this process is ended.
void draw()
void download(file)
await sleep(settleMs)
process.stdout.write(`Listening on ${url}\n`)
