import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { connectFileAgent } from '../../support/file-agent.ts'
import { success } from '../../../shared/dtos/hub-result.ts'
import { manualClock } from '../../support/clock.ts'
import { registerOwner, signInTo, type Member } from '../../support/server.ts'
import { serverProgram } from '../../support/built-programs.ts'
import { startServerProcess, temporaryFolder } from '../../support/server-process.ts'
import { mountSmallDisk } from '../../support/small-disk.ts'
import { until } from '../../support/until.ts'

const mebibyte = 1024 * 1024

const uploadTo = (owner: Member, deviceId: string) => {
  const form = new FormData()
  form.append('targetSaveDirectory', '/tmp')
  form.append('overwrite', 'true')
  form.append('file', new Blob(['content']), 'a.txt')
  return owner.fetch(`/api/v1/device-file-system/upload/${deviceId}?tenantId=${owner.tenantId}`, {
    method: 'POST',
    body: form,
  })
}

const createTag = (owner: Member, name: string) =>
  owner.fetch(`/api/v1/tags?tenantId=${owner.tenantId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  })

/** Runs `doctor` on a data folder. */
const doctor = (directory: string) =>
  new Promise<{ status: number; output: string }>((resolve) => {
    const args = [serverProgram, 'doctor']
    const env = { ...process.env, Service_DataDirectory: directory }
    const child = execFile(process.execPath, args, { env }, (_error, output) =>
      resolve({ status: child.exitCode ?? -1, output }),
    )
  })

const logged = (folder: string) =>
  readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('')

test('a server on a full disk refuses what it cannot store with a sentence, stays readable, and recovers; a start there stops with a sentence, and loses nothing', async ({
  skip,
}) => {
  const disk = await mountSmallDisk('32m')
  if (!disk) {
    return skip('mounting a small disk needs root on Linux')
  }
  const logs = join(disk.folder, 'logs')
  const start = () =>
    startServerProcess(join(disk.folder, 'data'), {
      AppOptions__MinFreeDiskSpace: String(4 * mebibyte),
      AppOptions__UseHttpLogging: 'true',
      Logging__Directory: logs,
    })
  const server = await start()
  const owner = await registerOwner(server.url)
  const device = await connectFileAgent(
    owner,
    {
      DownloadFileFromViewer: async (request) => {
        await device.fetch(request)
        return success
      },
    },
    manualClock(Date.now()),
  )
  expect((await uploadTo(owner, device.id)).status).toBe(200)
  expect(await owner.applianceStatus.get({})).toMatchObject({ storage: 'ok' })

  disk.fill(2 * mebibyte)
  const refused = await uploadTo(owner, device.id)
  expect(refused.status).toBe(507)
  expect(await refused.text()).toContain('less than 4 MB free')
  expect(await owner.applianceStatus.get({})).toMatchObject({ storage: 'low' })
  expect((await createTag(owner, 'still-stored')).status).toBe(201)

  disk.fill()
  let full
  do {
    full = await createTag(owner, `tag-${Math.random().toString(36).slice(2)}`)
  } while (full.status === 201)
  expect(full.status).toBe(507)
  expect(await full.json()).toMatchObject({ title: 'Insufficient Storage', detail: expect.stringContaining('full') })
  expect((await owner.devices.get({ params: { deviceId: device.id } })).isOnline).toBe(true)
  expect((await owner.fetch(`/api/v1/tags?tenantId=${owner.tenantId}`)).status).toBe(200)
  expect((await fetch(`${server.url}/health`)).status).toBe(200)

  disk.clear()
  await until(async () => (await createTag(owner, 'stored-again')).status === 201)
  expect((await uploadTo(owner, device.id)).status).toBe(200)
  expect(logged(logs)).toMatch(/\d+ lines of the log were lost/)

  disk.fill()
  await server.kill()
  await expect(start()).rejects.toThrow(/Make room on that disk and start again/)
  disk.clear()
  const last = await start()
  const { items } = await (await signInTo(last.url)).tags.list({ tenantId: owner.tenantId, query: {} })
  expect(items.map(({ name }) => name)).toEqual(expect.arrayContaining(['still-stored', 'stored-again']))
  await last.stop()
})

test('a start reports how the previous run ended: by an error, without notice, or copied without its write-ahead log', async () => {
  const directory = await temporaryFolder()
  const crashing = { NODE_OPTIONS: `--import ${join(import.meta.dirname, '../../support/crash-on-signal.mjs')}` }
  const first = await startServerProcess(directory, {}, crashing)
  const owner = await registerOwner(first.url)
  process.kill(first.pid, 'SIGUSR2')
  await first.ended
  expect(first.lines.join('\n')).toContain('An unexpected error ends this process.')
  expect(first.lines.join('\n')).toContain('The server has stopped.')
  expect(await fetch(first.url).catch((error: unknown) => error)).toBeInstanceOf(Error)

  const second = await startServerProcess(directory)
  const again = await signInTo(second.url)
  const { lastEnd } = await again.applianceHealth.report({})
  expect(lastEnd).toMatchObject({ ending: 'crashed', reason: expect.stringContaining('a planned failure') })
  expect(owner.user.id).toBe(again.user.id)
  expect(second.lines.join('\n')).not.toContain('write-ahead log of the database is missing')

  const copy = join(await temporaryFolder(), 'data')
  mkdirSync(copy, { mode: 0o700 })
  for (const name of ['farhand.db', 'secrets.json', 'secret-store.json']) {
    copyFileSync(join(directory, name), join(copy, name))
  }
  await second.kill()
  const third = await startServerProcess(copy)
  expect(third.lines.join('\n')).toContain('The write-ahead log of the database is missing')
  expect(await doctor(copy)).toMatchObject({
    status: 1,
    output: expect.stringMatching(/PROBLEM +Database .*missing[^]*WARNING +Last stop +The server ended without notice/),
  })
  await third.stop()
  expect(await doctor(directory)).toMatchObject({
    status: 1,
    output: expect.stringMatching(/PROBLEM +Server +No server runs[^]*ok +Database +Whole/),
  })
})
