import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { stat, writeFile } from 'node:fs/promises'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { openAccount } from '../simulate/fleet.ts'
import { withRealAgent } from '../simulate/real-agent.ts'
import { cpuSecondsOf, memoryMbOf } from '../simulate/process-figures.ts'
import { withBare, withServer } from '../simulate/server-process.ts'
import { temporaryFolder } from '../simulate/temporary-folder.ts'
import { connectViewer } from '../simulate/viewer.ts'
import { percentile, sleep, type Figures, type Round } from './measure.ts'

const fileBytes = 200 * 1024 * 1024
const block = randomBytes(64 * 1024)
const boundary = 'farhand-bench'

/** HTTP addresses of a file transfer, the form around an upload, and what the transfer costs. */
interface Route {
  downloadUrl: string
  uploadUrl: string
  headers: Record<string, string>
  head: string
  tail: string
  /** Processor seconds so far, by program. */
  cpuSeconds: () => Promise<Figures>
}

async function answerOf(sent: ClientRequest): Promise<IncomingMessage> {
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  if (answer.statusCode !== 200) {
    throw new Error(`${sent.path}: ${answer.statusCode} ${(await answer.toArray()).join('')}`)
  }
  return answer
}

async function download({ downloadUrl, headers }: Route): Promise<void> {
  const answer = await answerOf(request(downloadUrl, { headers }).end())
  await once(answer.resume(), 'end')
}

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

const timed = (route: Route, transfer: (route: Route) => Promise<void>) => async (): Promise<Figures> => {
  const before = await route.cpuSeconds()
  const started = performance.now()
  await transfer(route)
  const seconds = (performance.now() - started) / 1000
  const perGb = Object.entries(await route.cpuSeconds()).map(([name, after]) => [
    `cpuSecondsPerGb of the ${name}`,
    (after - before[name]!) / (fileBytes / 1e9),
  ])
  return { mbPerSecond: fileBytes / 1e6 / seconds, ...(Object.fromEntries(perGb) as Figures) }
}

function formHead(directory: string): string {
  const field = (name: string, value: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const file = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="up.bin"\r\n\r\n`
  return field('targetSaveDirectory', directory) + field('overwrite', 'true') + file
}

/** 200 MB between an HTTP client and a device's disk, against a bare HTTP server on this disk. */
export async function files(round: Round): Promise<void> {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'down.bin')
  await writeFile(file, Buffer.alloc(fileBytes, block))
  await withServer({ Service_AppOptions__MaxFileTransferSize: '0' }, async (server) => {
    const { url } = server
    const account = await openAccount(url)
    const { tenantId, cookie } = account
    await withRealAgent(url, account, (deviceId, agentPid) =>
      withBare('files', [file, join(folder.path, 'bare.bin')], async (bareServer) => {
        const query = new URLSearchParams({ tenantId, filePath: file })
        const product: Route = {
          downloadUrl: `${url}/api/v1/device-file-system/download/${deviceId}?${query.toString()}`,
          uploadUrl: `${url}/api/v1/device-file-system/upload/${deviceId}?tenantId=${tenantId}`,
          headers: { cookie, origin: url, 'content-type': `multipart/form-data; boundary=${boundary}` },
          head: formHead(folder.path),
          tail: `\r\n--${boundary}--\r\n`,
          cpuSeconds: async () => ({ server: await server.cpuSeconds(), agent: await cpuSecondsOf(agentPid) }),
        }
        const bare: Route = {
          downloadUrl: bareServer.url,
          uploadUrl: bareServer.url,
          headers: {},
          head: '',
          tail: '',
          cpuSeconds: async () => ({ server: await bareServer.cpuSeconds() }),
        }
        await round.measure('file from a device', timed(product, download), timed(bare, download))
        await round.measure('file to a device', timed(product, upload), timed(bare, upload))
        round.record('memory after files', { serverMb: await server.memoryMb(), agentMb: await memoryMbOf(agentPid) })
        const { size } = await stat(join(folder.path, 'up.bin'))
        if (size !== fileBytes) {
          throw new Error(`The device has ${size} bytes.`)
        }
      }),
    )
  })
}

const keystrokes = 150
/** Pause of a fast typist; each keystroke waits for the previous echo. */
const pauseMs = 5

async function echoes(once: (key: string) => Promise<unknown>): Promise<Figures> {
  const samples: number[] = []
  for (let index = 0; index < keystrokes; index++) {
    const started = performance.now()
    await once(String.fromCharCode(97 + (index % 26)))
    samples.push(performance.now() - started)
    await sleep(pauseMs)
  }
  return { p50Ms: percentile(samples, 0.5), p99Ms: percentile(samples, 0.99) }
}

/** Runs `work` with a terminal of a real agent that echoes: viewer, server, agent, pseudo-terminal, and back. */
async function withTerminal(work: (type: (key: string) => Promise<unknown>) => Promise<void>): Promise<void> {
  await withServer({}, async (server) => {
    const account = await openAccount(server.url)
    await withRealAgent(server.url, account, async (deviceId) => {
      let heard = ''
      let wake = () => {}
      const { connection, viewer } = await connectViewer(server.url, account.cookie, {
        ReceiveTerminalOutput: ({ output }) => {
          heard += output
          wake()
        },
      })
      const terminalId = randomUUID()
      const type = async (input: string) => {
        const result = await viewer.SendTerminalInput2({ deviceId, input: { terminalId, input, isRaw: true } })
        if (!result.isSuccess) {
          throw new Error(result.reason ?? 'The input was refused.')
        }
      }
      const hear = async (text: string) => {
        while (!heard.includes(text)) {
          await new Promise<void>((resolve) => (wake = resolve))
        }
      }
      await viewer.CreateTerminalSession2({ deviceId, terminalId })
      await type('exec cat\r')
      await sleep(1000)
      await work((key) => {
        heard = ''
        return Promise.all([type(key), hear(key)])
      })
      await connection.stop()
    })
  })
}

export async function terminal(round: Round): Promise<void> {
  await withTerminal((type) =>
    withBare('echo', [], async ({ url }) => {
      const socket = new WebSocket(url.replace('http', 'ws'))
      await new Promise((resolve) => socket.once('open', resolve))
      const send = (key: string) =>
        new Promise((resolve) => {
          socket.once('message', resolve)
          socket.send(key)
        })
      await round.measure(
        'keystroke until its echo',
        () => echoes(type),
        () => echoes(send),
      )
      socket.close()
    }),
  )
}
