import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { chromium, type Page } from '@playwright/test'
import { chromiumLaunch } from '../chromium.mjs'
import { demoAccount, openAccount, type Account } from '../simulate/fleet.ts'
import { signInBrowser } from '../simulate/page-session.ts'
import { cpuSecondsOf } from '../simulate/process-figures.ts'
import { withRealAgent } from '../simulate/real-agent.ts'
import { withBare, withServer, type ServerProcess } from '../simulate/server-process.ts'
import { temporaryFolder } from '../simulate/temporary-folder.ts'
import { costOf, type Figures, type Round } from './measure.ts'

const fileBytes = 200 * 1024 * 1024
const block = randomBytes(64 * 1024)
const boundary = 'farhand-bench'

/** Programs whose processor time counts. */
type Programs = Parameters<typeof costOf>[0]

/** HTTP addresses of a file transfer, and the form around an upload. */
interface Route {
  downloadUrl: string
  uploadUrl: string
  headers: Record<string, string>
  head: string
  tail: string
  programs: Programs
}

interface Device {
  server: ServerProcess
  account: Account
  deviceId: string
  programs: Programs
}

async function withDevice(work: (device: Device) => Promise<void>): Promise<void> {
  await withServer({ Service_AppOptions__MaxFileTransferSize: '0' }, async (server) => {
    const account = await openAccount(server.url)
    await withRealAgent(server.url, account, (deviceId, agentPid) =>
      work({ server, account, deviceId, programs: { server, agent: { cpuSeconds: () => cpuSecondsOf(agentPid) } } }),
    )
  })
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

function* formOf({ head, tail }: Route) {
  yield head
  for (let bytes = 0; bytes < fileBytes; bytes += block.length) {
    yield block
  }
  yield tail
}

async function upload(route: Route): Promise<void> {
  const length = String(route.head.length + fileBytes + route.tail.length)
  const sent = request(route.uploadUrl, { method: 'POST', headers: { ...route.headers, 'content-length': length } })
  const answered = answerOf(sent)
  await pipeline(Readable.from(formOf(route)), sent)
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
  await withDevice(({ server: { url }, account: { tenantId, cookie }, deviceId, programs }) =>
    withBare('files', [file, join(folder.path, 'bare.bin')], async (bareServer) => {
      const query = new URLSearchParams({ tenantId, filePath: file })
      const product: Route = {
        downloadUrl: `${url}/api/v1/device-file-system/download/${deviceId}?${query.toString()}`,
        uploadUrl: `${url}/api/v1/device-file-system/upload/${deviceId}?tenantId=${tenantId}`,
        headers: { cookie, origin: url, 'content-type': `multipart/form-data; boundary=${boundary}` },
        head: formHead(folder.path),
        tail: `\r\n--${boundary}--\r\n`,
        programs,
      }
      const { url: bareUrl } = bareServer
      const programsOfBare = { server: bareServer }
      const bare = {
        downloadUrl: bareUrl,
        uploadUrl: bareUrl,
        headers: {},
        head: '',
        tail: '',
        programs: programsOfBare,
      }
      await round.measure('file from a device', [product, bare], measured(download))
      await round.measure('file to a device', [product, bare], measured(upload))
      const { size } = await stat(join(folder.path, 'up.bin'))
      if (size !== fileBytes) {
        throw new Error(`The device has ${size} bytes.`)
      }
    }),
  )
}

const smallFilesCount = 1_001
const smallFileBytes = 4 * 1024
const longestMs = 120_000

async function uploadFolder(page: Page, folder: string): Promise<void> {
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Upload' }).click()
  await page.getByRole('menuitem', { name: 'Folder…' }).click()
  await (await choosing).setFiles(folder)
  const all = smallFilesCount.toLocaleString('en-US')
  const transfers = page.getByRole('region', { name: 'Transfers' })
  await transfers.getByText(`${all} of ${all} files`).waitFor({ timeout: longestMs })
}

async function downloadFolder(page: Page): Promise<void> {
  await page.getByRole('row').filter({ hasText: 'source' }).first().click()
  const saving = page.waitForEvent('download', { timeout: longestMs })
  await page.getByRole('button', { name: 'Download' }).first().click()
  await (await saving).path()
}

/** Sends and fetches a folder of small files by click, as a person does. */
export async function smallFiles(round: Round): Promise<void> {
  await using folder = await temporaryFolder()
  const [source, target] = [join(folder.path, 'source'), join(folder.path, 'target')]
  await mkdir(source)
  await mkdir(target)
  const content = randomBytes(smallFileBytes)
  for (let index = 0; index < smallFilesCount; index++) {
    await writeFile(join(source, `file-${index}.txt`), content)
  }
  await withDevice(async ({ server: { url }, deviceId, programs }) => {
    await using browser = await chromium.launch(chromiumLaunch())
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    await signInBrowser(context, url, demoAccount)
    const page = await context.newPage()
    await page.goto(`${url}/devices/${deviceId}/files?${new URLSearchParams({ path: target }).toString()}`)
    const measure = async (work: string, transfer: () => Promise<void>) => {
      const { seconds, cpu } = await costOf(programs, transfer)
      round.record(work, { seconds, cpuSecondsOfServer: cpu['server']!, cpuSecondsOfAgent: cpu['agent']! })
    }
    await measure('small files to a device', () => uploadFolder(page, source))
    const found = await readdir(join(target, 'source'))
    if (found.length !== smallFilesCount) {
      throw new Error(`The device has ${found.length} files.`)
    }
    await measure('small files from a device', () => downloadFolder(page))
  })
}
