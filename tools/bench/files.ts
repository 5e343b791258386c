import { randomBytes } from 'node:crypto'
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium, type Page } from '@playwright/test'
import { chromiumLaunch } from '../chromium.mjs'
import { demoAccount } from '../simulate/fleet.ts'
import { signInBrowser } from '../simulate/page-session.ts'
import { cpuSecondsOf } from '../simulate/process-figures.ts'
import { serveDevice, type ServedDevice } from '../simulate/served-device.ts'
import { startBare } from '../simulate/server-process.ts'
import { temporaryFolder } from '../simulate/temporary-folder.ts'
import { exchange, type HttpRequest } from './http.ts'
import { costOf, type Figures, type Programs, type Round } from './measure.ts'

const fileBytes = 200 * 1024 * 1024
const block = randomBytes(64 * 1024)
const file = Array.from({ length: fileBytes / block.length }, () => block)
const boundary = 'farhand-bench'
const anySize = { Service_AppOptions__MaxFileTransferSize: '0' }

/** Server and agent, whose processor time counts. */
const programsOf = ({ server, device }: ServedDevice) => ({
  server,
  agent: { cpuSeconds: () => cpuSecondsOf(device.pid) },
})

interface Side {
  url: string
  programs: Programs
  request: HttpRequest
}

async function transfer({ url, programs, request }: Side): Promise<Figures> {
  const { seconds, cpu } = await costOf(programs, () => exchange(url, request))
  const perGb = Object.entries(cpu).map(([name, of]) => [`cpuSecondsPerGb of the ${name}`, of / (fileBytes / 1e9)])
  return { mbPerSecond: fileBytes / 1e6 / seconds, ...(Object.fromEntries(perGb) as Figures) }
}

/** Form around an uploaded file. */
function formOf(directory: string) {
  const part = (disposition: string, value: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${value}`
  const fields = `${part('name="targetSaveDirectory"', directory)}\r\n${part('name="overwrite"', 'true')}\r\n`
  return [fields + part('name="file"; filename="up.bin"', ''), ...file, `\r\n--${boundary}--\r\n`]
}

/** 200 MB between an HTTP client and a device's disk, against a bare HTTP server on this disk. */
export async function files(round: Round): Promise<void> {
  await using folder = await temporaryFolder()
  const filePath = join(folder.path, 'down.bin')
  await writeFile(filePath, Buffer.concat(file))
  await using served = await serveDevice(anySize)
  await using bare = await startBare('files', filePath, join(folder.path, 'bare.bin'))
  const { server, account, device } = served
  const { tenantId, cookie } = account
  const measure = (work: string, ofProduct: HttpRequest, ofBare: HttpRequest) => {
    const product: Side = { url: server.url, programs: programsOf(served), request: ofProduct }
    return round.measure(work, [product, { url: bare.url, programs: { server: bare }, request: ofBare }], transfer)
  }
  const address = (action: string, query: Record<string, string>) =>
    `/api/v1/device-file-system/${action}/${device.id}?${new URLSearchParams(query).toString()}`
  const headers = { cookie, origin: server.url }
  const download = { path: address('download', { tenantId, filePath }), headers }
  await measure('file from a device', download, { path: '/' })
  const body = formOf(folder.path)
  const uploadHeaders = {
    ...headers,
    'content-type': `multipart/form-data; boundary=${boundary}`,
    'content-length': String(body.reduce((sum, { length }) => sum + length, 0)),
  }
  const upload = { method: 'POST', path: address('upload', { tenantId }), headers: uploadHeaders, body }
  const bareHeaders = { 'content-length': String(fileBytes) }
  await measure('file to a device', upload, { method: 'POST', path: '/', headers: bareHeaders, body: file })
  const { size } = await stat(join(folder.path, 'up.bin'))
  if (size !== fileBytes) {
    throw new Error(`The device has ${size} bytes.`)
  }
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
  await using served = await serveDevice(anySize)
  const { url } = served.server
  await using browser = await chromium.launch(chromiumLaunch())
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  await signInBrowser(context, url, demoAccount)
  const page = await context.newPage()
  await page.goto(`${url}/devices/${served.device.id}/files?${new URLSearchParams({ path: target }).toString()}`)
  const measure = async (work: string, click: () => Promise<void>) => {
    const { seconds, cpu } = await costOf(programsOf(served), click)
    round.record(work, { seconds, cpuSecondsOfServer: cpu.server, cpuSecondsOfAgent: cpu.agent })
  }
  await measure('small files to a device', () => uploadFolder(page, source))
  const found = await readdir(join(target, 'source'))
  if (found.length !== smallFilesCount) {
    throw new Error(`The device has ${found.length} files.`)
  }
  await measure('small files from a device', () => downloadFolder(page))
}
