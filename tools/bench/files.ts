import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openAccount } from '../simulate/fleet.ts'
import { withRealAgent } from '../simulate/real-agent.ts'
import { cpuSecondsOf, memoryMbOf, withBare, withServer } from '../simulate/server-process.ts'
import { median, rounded } from './measure.ts'

const fileBytes = 200 * 1024 * 1024
const rounds = 3
const million = 1e6
const sampleEveryMs = 100

type Headers = Record<string, string>

/** HTTP addresses of a file transfer, and the form around an upload. */
interface Route {
  downloadUrl: string
  uploadUrl: string
  headers: Headers
  /** Form text around the bytes of an upload. */
  head: string
  tail: string
}

async function answerOf(sent: ClientRequest): Promise<IncomingMessage> {
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  if (answer.statusCode !== 200) {
    throw new Error(`${sent.path}: ${answer.statusCode} ${(await answer.toArray()).join('')}`)
  }
  return answer
}

/** Downloads, and returns the number of received bytes. */
async function download({ downloadUrl, headers }: Route): Promise<number> {
  const answer = await answerOf(request(downloadUrl, { headers }).end())
  let received = 0
  answer.on('data', (chunk: Buffer) => (received += chunk.length))
  await once(answer, 'end')
  return received
}

const block = randomBytes(64 * 1024)

async function upload({ uploadUrl, headers, head, tail }: Route): Promise<void> {
  const length = String(head.length + fileBytes + tail.length)
  const sent = request(uploadUrl, { method: 'POST', headers: { ...headers, 'content-length': length } })
  const answered = answerOf(sent)
  sent.write(head)
  for (let bytes = 0; bytes < fileBytes; bytes += block.length) {
    if (!sent.write(block)) {
      await once(sent, 'drain')
    }
  }
  sent.end(tail)
  ;(await answered).resume()
}

/** CPU seconds so far, by program. */
type CpuSeconds = () => Promise<Record<string, number>>

const clientSeconds = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / million
}

/** Median rate of several transfers in MB a second, and the least CPU seconds of each program per GB. */
async function measured(cpuSeconds: CpuSeconds, transfer: () => Promise<unknown>) {
  const seconds = async () => ({ ...(await cpuSeconds()), client: clientSeconds() })
  const rates: number[] = []
  const used: Record<string, number>[] = []
  for (let round = 0; round < rounds; round++) {
    const before: Record<string, number> = await seconds()
    const started = performance.now()
    await transfer()
    rates.push(fileBytes / million / ((performance.now() - started) / 1000))
    const perGb = Object.entries(await seconds()).map(([name, after]) => [
      name,
      rounded((after - before[name]!) / (fileBytes / 1e9)),
    ])
    used.push(Object.fromEntries(perGb) as Record<string, number>)
  }
  const leastOf = (name: string) => Math.min(...used.map((one) => one[name]!))
  return {
    mbPerSecond: rounded(median(rates)),
    cpuSecondsPerGb: Object.fromEntries(Object.keys(used[0]!).map((name) => [name, leastOf(name)])),
  }
}

const both = async (route: Route, cpuSeconds: CpuSeconds) => ({
  down: await measured(cpuSeconds, () => download(route)),
  up: await measured(cpuSeconds, () => upload(route)),
})

/** Memory before `work`, and the maximum while it runs. */
async function watchMemory<T>(read: () => Promise<number>, work: () => Promise<T>) {
  const beforeMb = Math.round(await read())
  let mostMb = 0
  const timer = setInterval(() => void read().then((mb) => (mostMb = Math.max(mostMb, Math.round(mb)))), sampleEveryMs)
  const result = await work()
  clearInterval(timer)
  return { result, memory: { beforeMb, mostMb } }
}

const boundary = 'farhand-bench'

function formHead(directory: string): string {
  const field = (name: string, value: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const file = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="up.bin"\r\n\r\n`
  return field('targetSaveDirectory', directory) + field('overwrite', 'true') + file
}

async function throughServer(directory: string, file: string) {
  return await withServer({ Service_AppOptions__MaxFileTransferSize: '0' }, async (server) => {
    const account = await openAccount(server.url)
    return await withRealAgent(server.url, account, async (deviceId, agentPid) => {
      const query = new URLSearchParams({ tenantId: account.tenantId, filePath: file })
      const route: Route = {
        downloadUrl: `${server.url}/api/v1/device-file-system/download/${deviceId}?${query.toString()}`,
        uploadUrl: `${server.url}/api/v1/device-file-system/upload/${deviceId}?tenantId=${account.tenantId}`,
        headers: {
          cookie: account.cookie,
          origin: server.url,
          'content-type': `multipart/form-data; boundary=${boundary}`,
        },
        head: formHead(directory),
        tail: `\r\n--${boundary}--\r\n`,
      }
      const cpuSeconds = async () => ({ server: await server.cpuSeconds(), agent: await cpuSecondsOf(agentPid) })
      const { result, memory: agentMemory } = await watchMemory(
        () => memoryMbOf(agentPid),
        () =>
          watchMemory(
            () => server.memoryMb(),
            () => both(route, cpuSeconds),
          ),
      )
      const { size } = await stat(join(directory, 'up.bin'))
      if (size !== fileBytes) {
        throw new Error(`The device has ${size} bytes.`)
      }
      return { ...result.result, serverMemory: result.memory, agentMemory }
    })
  })
}

/** Measures 200 MB up and down between an HTTP client and a device's disk, against a bare HTTP server on this disk. */
export async function files() {
  const directory = await mkdtemp(join(tmpdir(), 'farhand-files-'))
  try {
    const file = join(directory, 'down.bin')
    await writeFile(file, Buffer.alloc(fileBytes, block))
    const product = await throughServer(directory, file)
    const bare = await withBare('files', [file, join(directory, 'bare.bin')], (server) =>
      both({ downloadUrl: server.url, uploadUrl: server.url, headers: {}, head: '', tail: '' }, async () => ({
        server: await server.cpuSeconds(),
      })),
    )
    return {
      fileBytes,
      product,
      bare,
      ratioDown: rounded(product.down.mbPerSecond / bare.down.mbPerSecond),
      ratioUp: rounded(product.up.mbPerSecond / bare.up.mbPerSecond),
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
