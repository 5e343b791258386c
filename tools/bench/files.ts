import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { stat, writeFile } from 'node:fs/promises'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { openAccount } from '../simulate/fleet.ts'
import { withRealAgent } from '../simulate/real-agent.ts'
import { cpuSecondsOf, memoryMbOf } from '../simulate/process-figures.ts'
import { withBare, withServer } from '../simulate/server-process.ts'
import { temporaryFolder } from '../simulate/temporary-folder.ts'
import { costOf, type Figures, type Round } from './measure.ts'

const fileBytes = 200 * 1024 * 1024
const block = randomBytes(64 * 1024)
const boundary = 'farhand-bench'

/** HTTP addresses of a file transfer, and the form around an upload. */
interface Route {
  downloadUrl: string
  uploadUrl: string
  headers: Record<string, string>
  head: string
  tail: string
  programs: Parameters<typeof costOf>[0]
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

const measured =
  (transfer: (route: Route) => Promise<void>) =>
  async (route: Route): Promise<Figures> => {
    const { seconds, cpu } = await costOf(route.programs, () => transfer(route))
    const perGb = Object.entries(cpu).map(([name, of]) => [`cpuSecondsPerGb of the ${name}`, of / (fileBytes / 1e9)])
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
          programs: { server, agent: { cpuSeconds: () => cpuSecondsOf(agentPid) } },
        }
        const bare: Route = {
          downloadUrl: bareServer.url,
          uploadUrl: bareServer.url,
          headers: {},
          head: '',
          tail: '',
          programs: { server: bareServer },
        }
        await round.measure('file from a device', [product, bare], measured(download))
        await round.measure('file to a device', [product, bare], measured(upload))
        round.record('memory after files', { serverMb: await server.memoryMb(), agentMb: await memoryMbOf(agentPid) })
        const { size } = await stat(join(folder.path, 'up.bin'))
        if (size !== fileBytes) {
          throw new Error(`The device has ${size} bytes.`)
        }
      }),
    )
  })
}
