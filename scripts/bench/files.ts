import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openAccount } from '../simulate/fleet.ts'
import { withRealAgent } from '../simulate/real-agent.ts'
import { memoryMbOf, withBare, withServer } from '../simulate/server-process.ts'
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

/** Median rate of several transfers in MB a second. */
async function rateOf(transfer: () => Promise<unknown>): Promise<number> {
  const rates: number[] = []
  for (let round = 0; round < rounds; round++) {
    const started = performance.now()
    await transfer()
    rates.push(fileBytes / million / ((performance.now() - started) / 1000))
  }
  return median(rates)
}

const both = async (route: Route) => ({
  downMbPerSecond: rounded(await rateOf(() => download(route))),
  upMbPerSecond: rounded(await rateOf(() => upload(route))),
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
      const cpuBefore = await server.cpuSeconds()
      const { result, memory: agentMemory } = await watchMemory(
        () => memoryMbOf(agentPid),
        () =>
          watchMemory(
            () => server.memoryMb(),
            () => both(route),
          ),
      )
      const { size } = await stat(join(directory, 'up.bin'))
      if (size !== fileBytes) {
        throw new Error(`The device has ${size} bytes.`)
      }
      const gigabytes = (2 * rounds * fileBytes) / 1e9
      const serverCpuSecondsPerGb = rounded(((await server.cpuSeconds()) - cpuBefore) / gigabytes)
      return { ...result.result, serverCpuSecondsPerGb, serverMemory: result.memory, agentMemory }
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
    const bare = await withBare('files', [file, join(directory, 'bare.bin')], ({ url }) =>
      both({ downloadUrl: url, uploadUrl: url, headers: {}, head: '', tail: '' }),
    )
    return {
      fileBytes,
      product,
      bare,
      ratioDown: rounded(product.downMbPerSecond / bare.downMbPerSecond),
      ratioUp: rounded(product.upMbPerSecond / bare.upMbPerSecond),
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
