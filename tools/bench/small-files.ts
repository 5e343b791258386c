import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { request, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { chromium, type Page } from '@playwright/test'
import { applianceDeviceUploads } from '../../shared/api/appliance-device-uploads.ts'
import { deviceFileSystem } from '../../shared/api/device-file-system.ts'
import { buildUrl } from '../../shared/contract/client.ts'
import { maxSmallFiles } from '../../shared/dtos/file-messages.ts'
import { inParallel } from '../../shared/in-parallel.ts'
import { chromiumLaunch } from '../chromium.mjs'
import { demoAccount, openAccount } from '../simulate/fleet.ts'
import { signInBrowser } from '../simulate/page-session.ts'
import { withRealAgent } from '../simulate/real-agent.ts'
import { cpuSecondsOf } from '../simulate/process-figures.ts'
import { withBare, withServer } from '../simulate/server-process.ts'
import { temporaryFolder } from '../simulate/temporary-folder.ts'
import type { Figures, Round } from './measure.ts'

const smallCount = 1_001
const smallBytes = 4 * 1024
/** Requests at once of one upload of the page. */
const requestsAtOnce = 2

/** Server and device of the transfers. */
interface SmallFilesPlace {
  url: string
  deviceId: string
  tenantId: string
  headers: Record<string, string>
  /** Folder of this machine, which is the device. */
  folder: string
  /** Processor seconds so far, by program. */
  cpuSeconds: () => Promise<Figures>
}

const content = randomBytes(smallBytes)
const names = Array.from({ length: smallCount }, (_, index) => `file-${index}.txt`)

/** Sends a request, and returns the bytes of the answer. */
async function exchange(url: string, method: string, headers: Record<string, string>, body: Buffer): Promise<Buffer> {
  const sent = request(url, { method, headers: { ...headers, 'content-length': String(body.length) } })
  sent.end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const bytes = Buffer.concat((await answer.toArray()) as Buffer[])
  if (answer.statusCode !== 200) {
    throw new Error(`${url}: ${answer.statusCode} ${bytes.toString()}`)
  }
  return bytes
}

async function upload({ url, deviceId, headers }: SmallFilesPlace, targetDirectory: string): Promise<void> {
  const { method, path } = applianceDeviceUploads.routes.sendSmall
  const sha256 = createHash('sha256').update(content).digest('hex')
  const groups = Array.from({ length: Math.ceil(smallCount / maxSmallFiles) }, (_, index) =>
    names.slice(index * maxSmallFiles, (index + 1) * maxSmallFiles),
  )
  await inParallel(groups, requestsAtOnce, async (group) => {
    const files = group.map((fileName) => ({ targetDirectory, fileName, fileSize: smallBytes, sha256 }))
    const head = Buffer.from(JSON.stringify({ files }))
    const length = Buffer.alloc(4)
    length.writeUInt32BE(head.length)
    const body = Buffer.concat([length, head, ...group.map(() => content)])
    const type = { 'content-type': 'application/octet-stream' }
    await exchange(url + buildUrl(path, { params: { deviceId } }), method, { ...headers, ...type }, body)
  })
}

async function download({ url, deviceId, tenantId, headers }: SmallFilesPlace, folder: string): Promise<void> {
  const { method, path } = deviceFileSystem.routes.download
  const query = { filePath: folder }
  const address = url + buildUrl(path, { params: { deviceId }, query, tenantId })
  const bytes = await exchange(address, method, headers, Buffer.alloc(0))
  if (bytes.length < smallCount * smallBytes) {
    throw new Error(`The archive has ${bytes.length} bytes.`)
  }
}

async function timed(cpuSeconds: () => Promise<Figures>, work: () => Promise<unknown>): Promise<Figures> {
  const before = await cpuSeconds()
  const started = performance.now()
  await work()
  const seconds = (performance.now() - started) / 1000
  const cpu = Object.entries(await cpuSeconds()).map(([name, after]) => [
    `cpuSeconds of the ${name}`,
    after - before[name]!,
  ])
  return { seconds, ...(Object.fromEntries(cpu) as Figures) }
}

async function mustHaveAll(folder: string): Promise<void> {
  const found = await readdir(folder)
  const { size } = await stat(join(folder, names.at(-1)!))
  if (found.length !== smallCount || size !== smallBytes) {
    throw new Error(`${folder} has ${found.length} files.`)
  }
}

/** Sends and fetches a folder by click, as a person does. */
async function byClick(round: Round, place: SmallFilesPlace, source: string): Promise<void> {
  const { url, deviceId, folder, cpuSeconds } = place
  const target = join(folder, 'of-page')
  await mkdir(target)
  const browser = await chromium.launch(chromiumLaunch())
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    await signInBrowser(context, url, demoAccount)
    const page = await context.newPage()
    await page.goto(`${url}/devices/${deviceId}/files?${new URLSearchParams({ path: target }).toString()}`)
    const done = `${smallCount.toLocaleString('en-US')} of ${smallCount.toLocaleString('en-US')} files`
    const up = await timed(cpuSeconds, async () => {
      await chooseFolder(page, source)
      await page.getByRole('region', { name: 'Transfers' }).getByText(done).waitFor({ timeout: 120_000 })
    })
    await mustHaveAll(join(target, 'source'))
    round.record('small files to a device, by click', up)
    await page.getByRole('row').filter({ hasText: 'source' }).first().click()
    const down = await timed(cpuSeconds, async () => {
      const saving = page.waitForEvent('download', { timeout: 120_000 })
      await page.getByRole('button', { name: 'Download' }).first().click()
      await (await saving).path()
    })
    round.record('small files from a device, by click', down)
  } finally {
    await browser.close()
  }
}

async function chooseFolder(page: Page, folder: string): Promise<void> {
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Upload' }).click()
  await page.getByRole('menuitem', { name: 'Folder…' }).click()
  await (await choosing).setFiles(folder)
}

/** 1,001 files of 4 KiB in a folder, against a bare server that reads and writes as many. */
export async function smallFiles(round: Round): Promise<void> {
  await using folder = await temporaryFolder()
  const [source, bareTarget] = [join(folder.path, 'source'), join(folder.path, 'bare')]
  await mkdir(source)
  await mkdir(bareTarget)
  await Promise.all(names.map((name) => writeFile(join(source, name), content)))
  await withServer({}, async (server) => {
    const { url } = server
    const account = await openAccount(url)
    await withRealAgent(url, account, (deviceId, agentPid) =>
      withBare('small-files', [source, bareTarget, String(smallBytes)], async (bare) => {
        const headers = { cookie: account.cookie, origin: url }
        const cpuSeconds = async () => ({ server: await server.cpuSeconds(), agent: await cpuSecondsOf(agentPid) })
        const place = { url, deviceId, tenantId: account.tenantId, headers, folder: folder.path, cpuSeconds }
        const bareCpu = async () => ({ server: await bare.cpuSeconds() })
        const all = Buffer.concat(names.map(() => content))
        let uploads = 0
        await round.measure(
          'small files to a device',
          async () => {
            const target = join(folder.path, `up-${++uploads}`)
            await mkdir(target)
            const figures = await timed(cpuSeconds, () => upload(place, target))
            await mustHaveAll(target)
            return figures
          },
          () => timed(bareCpu, () => exchange(bare.url, 'POST', {}, all)),
        )
        await round.measure(
          'small files from a device',
          () => timed(cpuSeconds, () => download(place, source)),
          () => timed(bareCpu, () => exchange(bare.url, 'GET', {}, Buffer.alloc(0))),
        )
        await byClick(round, place, source)
      }),
    )
  })
}
