import { expect, onTestFinished, test } from 'vitest'
import { BatchFiles } from '../../../server/batches/batch-files.ts'
import { success } from '../../../shared/dtos/hub-result.ts'
import { connectFileAgent, type AgentHandlers, type FileAgent } from '../../support/file-agent.ts'
import { enroll } from '../../support/agent.ts'
import { finishedBatch } from '../../support/command-fleet.ts'
import { manualClock } from '../../support/clock.ts'
import { temporaryFolder } from '../../support/server-process.ts'
import { addMember } from '../../support/people.ts'
import { ownerForFile, serverForFile, type Member } from '../../support/server.ts'

const server = serverForFile()
const owner = ownerForFile(server)

const leave = async (name: string, content: string, by: Member = owner) => {
  const answer = await by.fetch(`/api/appliance/v1/batch-files?fileName=${encodeURIComponent(name)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: content,
  })
  return { status: answer.status, id: ((await answer.json()) as { id: string }).id }
}

/** Device that keeps what is written to it. */
async function filesOf(handlers: AgentHandlers = {}, by: Member = owner) {
  const written: Record<string, string> = {}
  /** Users to whose folders alone files were to be written. */
  const owners: (string | undefined)[] = []
  const device: FileAgent = await connectFileAgent(by, {
    async DownloadFileFromViewer(request) {
      const path = `${request.targetDirectoryPath}/${request.fileName}`
      if (path in written && !request.overwrite) {
        return { isSuccess: false, reason: 'File already exists.' }
      }
      owners.push(request.ownedBy)
      written[path] = (await device.fetch(request)).toString()
      return success
    },
    ...handlers,
  })
  return { id: device.id, written, owners, device }
}

test('files reach a folder of each device that is online, and what failed is sent again without another upload', async () => {
  const [one, other] = [await filesOf(), await filesOf()]
  const offline = await enroll(owner)
  const [a, b] = [await leave('a.txt', 'first'), await leave('b.txt', 'second')]
  other.written['/srv/b.txt'] = 'its own'
  const delivery = { fileIds: [a.id, b.id], folder: '/srv' }
  const body = { kind: 'send-files' as const, deviceIds: [one.id, other.id, offline.id], delivery }
  const batch = await owner.applianceBatches.start({ body })
  const sizes = [
    { id: a.id, name: 'a.txt', size: 5 },
    { id: b.id, name: 'b.txt', size: 6 },
  ]
  expect(batch.delivery).toEqual({ files: sizes, folder: '/srv', overwrite: false })
  expect((await finishedBatch(owner, batch.id)).results).toMatchObject([
    { state: 'done', reason: null },
    { state: 'failed', reason: 'b.txt: File already exists.' },
    { state: 'skipped', reason: 'The device is offline.' },
  ])
  expect(one.written).toEqual({ '/srv/a.txt': 'first', '/srv/b.txt': 'second' })
  expect(other.written).toEqual({ '/srv/a.txt': 'first', '/srv/b.txt': 'its own' })

  const again = await owner.applianceBatches.start({
    body: { ...body, deviceIds: [other.id], delivery: { ...delivery, overwrite: true } },
  })
  expect((await finishedBatch(owner, again.id)).batch.counts.done).toBe(1)
  expect(other.written['/srv/b.txt']).toBe('second')
  const sql = "SELECT count(*) AS number FROM audit_events WHERE kind = 'file.uploaded' AND outcome = 'success'"
  expect(await server.rows(sql)).toEqual([{ number: 5 }])
})

test.each([
  ['Linux', 2, '/home/ada'],
  ['macOS', 3, '/Users/ada'],
])(
  'without a folder, files go to a folder of the person who is signed in on %s, and of nobody else (T32)',
  async (_, platform, home) => {
    const asked: string[] = []
    const { id, written, owners, device } = await filesOf({
      GetPathSegments: ({ targetPath }) => {
        asked.push(targetPath)
        const pathExists = targetPath === home
        return { success: true, pathSegments: [], pathExists, pathSeparator: '/', errorMessage: null }
      },
    })
    const send = async () => {
      const delivery = { fileIds: [(await leave('note', 'hi')).id] }
      const { id: batchId } = await owner.applianceBatches.start({
        body: { kind: 'send-files', deviceIds: [id], delivery },
      })
      return (await finishedBatch(owner, batchId)).results
    }
    await device.UpdateDeviceSigned(device.agent.signed({ ...device.agent.report(), platform, currentUsers: [] }))
    expect(await send()).toMatchObject([
      { state: 'skipped', reason: 'Nobody with a folder of their own is signed in.' },
    ])
    await device.UpdateDeviceSigned(
      device.agent.signed({ ...device.agent.report(), platform, currentUsers: ['../x', 'ada'] }),
    )
    expect(await send()).toMatchObject([{ state: 'done', reason: `Sent to ${home}` }])
    expect(asked).toEqual([`${home}/Desktop`, home])
    expect([written, owners]).toEqual([{ [`${home}/note`]: 'hi' }, ['ada']])
  },
)

test('only those who may upload leave files, and only who left a file sends it, with the right to each device (T10, T41)', async () => {
  const { id, written } = await filesOf()
  const { id: fileId } = await leave('mine', 'x')
  const reader = await addMember(server, owner.tenantId, ['device.read'])
  expect((await leave('theirs', 'x', reader)).status).toBe(403)
  expect((await leave('../up', 'x')).status).toBe(400)
  const start = (by: Member, fileIds: string[]) =>
    by.applianceBatches.start({ body: { kind: 'send-files', deviceIds: [id], delivery: { fileIds, folder: '/srv' } } })
  await expect(start(reader, [fileId])).rejects.toMatchObject({ status: 404 })
  const here = { permissionName: 'device.file-system.transfer-upload', scopeKind: 'Device' } as const
  const other = await enroll(owner)
  const partly = await addMember(server, owner.tenantId, ['device.read', { ...here, scopeId: other.id }])
  const own = await leave('own', 'x', partly)
  const { id: batchId } = await start(partly, [own.id])
  const { results } = await finishedBatch(partly, batchId)
  expect(results).toMatchObject([{ state: 'failed', reason: 'You do not have permission to do this on this device.' }])
  expect(written).toEqual({})
})

test('a canceled batch ends running transfers and names the reason', async () => {
  const begun = Promise.withResolvers<void>()
  const { id } = await filesOf({
    DownloadFileFromViewer: () => {
      begun.resolve()
      return new Promise(() => {})
    },
  })
  const delivery = { fileIds: [(await leave('big', 'x')).id], folder: '/srv' }
  const batch = await owner.applianceBatches.start({ body: { kind: 'send-files', deviceIds: [id], delivery } })
  await begun.promise
  await owner.applianceBatches.cancel({ params: { batchId: batch.id }, body: { endRunning: true } })
  expect((await finishedBatch(owner, batch.id)).results).toMatchObject([
    { state: 'failed', reason: 'You canceled it.' },
  ])
})

/** Store of files without a server; `add` adds one. */
async function openFiles() {
  const clock = manualClock()
  const directory = await temporaryFolder()
  const files = new BatchFiles({ clock, directory, largest: () => undefined, tenants: () => 1 })
  onTestFinished(() => files.close())
  const bytes = async function* some() {
    yield Buffer.from('content')
  }
  const add = (owner: string, account = owner) => files.add({ owner, account, tenantId: null }, 'a', bytes())
  return { clock, files, add }
}

test('an owner has at most 100 files on the server, and an account with several owners 200', async () => {
  const { add } = await openFiles()
  const addMany = async (owner: string, account: string, count: number) => {
    for (let added = 0; added < count; added++) {
      await add(owner, account)
    }
  }
  const full = expect.objectContaining({ status: 409 }) as unknown
  await addMany('token 1', 'ada', 100)
  await expect(add('token 1', 'ada')).rejects.toEqual(full)
  await addMany('token 2', 'ada', 100)
  await expect(add('token 3', 'ada')).rejects.toEqual(full)
  await add('bob')
})

test('a file is removed an hour after the last batch that used it', async () => {
  const { clock, files, add } = await openFiles()
  const { id } = await add('ada')
  expect(() => files.use('bob', [id])).toThrow('no longer on the server')
  const { release } = files.use('ada', [id])
  clock.advance(2 * 60 * 60_000)
  release()
  clock.advance(59 * 60_000)
  files.use('ada', [id]).release()
  clock.advance(61 * 60_000)
  expect(() => files.use('ada', [id])).toThrow('no longer on the server')
})
