import { randomBytes } from 'node:crypto'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium, type Page } from '@playwright/test'
import { chromiumLaunch } from '../chromium.mjs'
import { demoAccount, openAccount } from '../simulate/fleet.ts'
import { signInBrowser } from '../simulate/page-session.ts'
import { withRealAgent } from '../simulate/real-agent.ts'
import { cpuSecondsOf } from '../simulate/process-figures.ts'
import { withServer } from '../simulate/server-process.ts'
import { temporaryFolder } from '../simulate/temporary-folder.ts'
import { costOf, type Figures, type Round } from './measure.ts'

const count = 1_001
const fileBytes = 4 * 1024
const longestMs = 120_000

async function upload(page: Page, folder: string): Promise<void> {
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Upload' }).click()
  await page.getByRole('menuitem', { name: 'Folder…' }).click()
  await (await choosing).setFiles(folder)
  const all = count.toLocaleString('en-US')
  await page
    .getByRole('region', { name: 'Transfers' })
    .getByText(`${all} of ${all} files`)
    .waitFor({ timeout: longestMs })
}

async function download(page: Page): Promise<void> {
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
  const content = randomBytes(fileBytes)
  await Promise.all([...Array(count).keys()].map((index) => writeFile(join(source, `file-${index}.txt`), content)))
  await withServer({}, async (server) => {
    const { url } = server
    const account = await openAccount(url)
    await withRealAgent(url, account, async (deviceId, agentPid) => {
      await using browser = await chromium.launch(chromiumLaunch())
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
      await signInBrowser(context, url, demoAccount)
      const page = await context.newPage()
      await page.goto(`${url}/devices/${deviceId}/files?${new URLSearchParams({ path: target }).toString()}`)
      const programs = { server, agent: { cpuSeconds: () => cpuSecondsOf(agentPid) } }
      const measure = async (work: () => Promise<void>): Promise<Figures> => {
        const { seconds, cpu } = await costOf(programs, work)
        return { seconds, cpuSecondsOfServer: cpu.server, cpuSecondsOfAgent: cpu.agent }
      }
      round.record('small files to a device', await measure(() => upload(page, source)))
      const found = await readdir(join(target, 'source'))
      if (found.length !== count) {
        throw new Error(`The device has ${found.length} files.`)
      }
      await page.getByRole('row').filter({ hasText: 'source' }).first().click()
      round.record('small files from a device', await measure(() => download(page)))
    })
  })
}
