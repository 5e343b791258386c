import { describe, expect, onTestFinished, test } from 'vitest'
import type { DevicePermission } from '../../../shared/access.ts'
import { ApiError } from '../../../shared/contract/client.ts'
import { failure, success, successOf } from '../../../shared/dtos/hub-result.ts'
import { manualClock } from '../../support/clock.ts'
import { connectFileAgent, type AgentHandlers, type FileAgent } from '../../support/file-agent.ts'
import { isNight } from '../../support/night.ts'
import { addMember } from '../../support/people.ts'
import { ownerForFile, serverForFile, type Member } from '../../support/server.ts'
import { later, until } from '../../support/until.ts'

const clock = manualClock()
const server = serverForFile({ clock })
const owner = ownerForFile(server)

const tenant = () => ({ tenantId: owner.tenantId })

async function online(handlers: (device: () => FileAgent) => AgentHandlers) {
  const device: FileAgent = await connectFileAgent(
    owner,
    handlers(() => device),
    clock,
  )
  return device
}

const entry = (name: string, isDirectory = false) => ({
  name,
  fullPath: `/srv/${name}`,
  isDirectory,
  size: isDirectory ? 0 : 5_000_000_000,
  lastModified: '2026-01-02T03:04:05.678Z',
  isHidden: false,
  canRead: true,
  canWrite: true,
  hasSubfolders: isDirectory,
})

/** Entries in batches of 100, as sent by real agents. */
const batches = (entries: object[]) =>
  Array.from({ length: Math.ceil(entries.length / 100) }, (_, index) => entries.slice(index * 100, index * 100 + 100))

const listing = (entries: object[], exists = true, isLate = false) =>
  online((device) => ({
    StreamDirectoryContents: ({ streamId }) => {
      const send = () => device().send('SendDirectoryContentsStream', [streamId, exists], batches(entries))
      if (isLate) {
        later(30, send)
      } else {
        send()
      }
      return success
    },
    StreamSubdirectories: ({ streamId }) => {
      device().send('SendSubdirectoriesStream', [streamId], batches(entries))
      return success
    },
  }))

const contents = (device: FileAgent, directoryPath = '/srv') =>
  owner.deviceFileSystem.contents({ body: { deviceId: device.id, directoryPath }, ...tenant() })

const refusalOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(ApiError)
  const { status, problem } = error as ApiError
  return [status, problem?.detail]
}

describe('a directory', () => {
  test.each([0, 1, 100, 101, 2_500])('of %i entries is listed whole, in the order of the agent', async (count) => {
    const entries = Array.from({ length: count }, (_, index) => entry(`file ${count - index}`))
    expect(await contents(await listing(entries))).toEqual({ directoryExists: true, entries })
  })

  test('is listed although the stream arrives after the answer', async () => {
    expect(await contents(await listing([entry('a')], true, true))).toEqual({
      directoryExists: true,
      entries: [entry('a')],
    })
  })

  test('that does not exist is listed as empty, without an error', async () => {
    expect(await contents(await listing([], false))).toEqual({ directoryExists: false, entries: [] })
  })

  test('is answered with the content type of JSON', async () => {
    const device = await listing([entry('a')])
    const response = await owner.fetch(`/api/v1/device-file-system/contents?tenantId=${owner.tenantId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ DeviceId: device.id.toUpperCase(), DirectoryPath: '/srv' }),
    })
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.text()).toBe(`{"directoryExists":true,"entries":[${JSON.stringify(entry('a'))}]}`)
  })

  test('has its subdirectories listed by a route of their own', async () => {
    const entries = [entry('b', true), entry('a', true)]
    const device = await listing(entries)
    const body = { deviceId: device.id, directoryPath: '/srv' }
    expect(await owner.deviceFileSystem.subdirectories({ body, ...tenant() })).toEqual({ subdirectories: entries })
  })

  test('may have times of any offset and precision, and sparse files of more than 2^53 bytes', async () => {
    const lastModified = '2026-01-02T05:04:05.6780001+02:00'
    const device = await listing([2 ** 60, 2 ** 63].map((size) => ({ ...entry('a'), lastModified, size })))
    // 2^63 exceeds the 64-bit integers of some clients.
    expect((await contents(device)).entries).toEqual([2 ** 60, 2 ** 63 - 1024].map((size) => ({ ...entry('a'), size })))
  })
})

describe('a listing that fails', () => {
  test('is 400 with the reason of the agent', async () => {
    const refused = failure('Access denied.')
    const device = await online(() => ({
      StreamDirectoryContents: () => refused,
      StreamSubdirectories: () => refused,
      GetRootDrives: () => ({ ...refused, value: null }),
    }))
    const { deviceFileSystem } = owner
    const body = { deviceId: device.id, directoryPath: '/root' }
    expect(await refusalOf(contents(device))).toEqual([400, 'Access denied.'])
    expect(await refusalOf(deviceFileSystem.subdirectories({ body, ...tenant() }))).toEqual([400, 'Access denied.'])
    expect(await refusalOf(deviceFileSystem.rootDrives({ body, ...tenant() }))).toEqual([400, 'Access denied.'])
  })

  test('is 408 after half a minute when the agent does not answer or send', async () => {
    for (const answer of [() => new Promise<never>(() => {}), () => success]) {
      let isAsked = false
      const device = await online(() => ({ StreamDirectoryContents: () => ((isAsked = true), answer()) }))
      const listed = refusalOf(contents(device))
      await until(() => isAsked)
      const timer = setInterval(() => clock.advance(30_000), 20)
      expect(await listed).toEqual([408, expect.stringMatching(/not answer in time|sent none/)])
      clearInterval(timer)
    }
  })

  test('is 500 when the stream ends before its first entry', async () => {
    const device = await online((self) => ({
      StreamDirectoryContents: ({ streamId }) => {
        self().send('SendDirectoryContentsStream', [streamId, true], [], new Error('disk'))
        return success
      },
    }))
    expect(await refusalOf(contents(device))).toEqual([500, 'The device aborted the transfer.'])
  })

  test.each([
    ['an entry without a name', [{ ...entry('a'), name: undefined }]],
    ['an entry that is none', ['a']],
    ['something else than a list', 'abc'],
  ])('is 500 because of %s', async (_, item) => {
    const device = await online((self) => ({
      StreamDirectoryContents: ({ streamId }) => {
        self().send('SendDirectoryContentsStream', [streamId, true], [item])
        return success
      },
    }))
    expect((await refusalOf(contents(device)))[0]).toBe(500)
  })

  test.each([
    ['the agent breaks it off', [[entry('a')]], new Error('disk')],
    ['of an entry that is none', [[entry('a')], ['nonsense'], [entry('b')]], undefined],
  ])('is 500 after its first entries because %s', async (_, items, error) => {
    const device = await online((self) => ({
      StreamDirectoryContents: ({ streamId }) => {
        self().send('SendDirectoryContentsStream', [streamId, true], items, error)
        return success
      },
    }))
    expect(await refusalOf(contents(device))).toEqual([500, 'The device aborted the transfer.'])
  })

  test.runIf(isNight)('of many MiB is compressed without a listener left behind for each wait', async () => {
    const warnings: Error[] = []
    const note = (warning: Error) => void warnings.push(warning)
    process.on('warning', note)
    onTestFinished(() => void process.off('warning', note))
    const many = Array<object[]>(300).fill(Array<object>(100).fill(entry('a'.repeat(100))))
    const device = await online((self) => ({
      StreamDirectoryContents: ({ streamId }) => {
        self().send('SendDirectoryContentsStream', [streamId, true], many)
        return success
      },
    }))
    expect((await contents(device)).entries).toHaveLength(30_000)
    expect(warnings).toEqual([])
  })

  test('ends as a broken connection after more than a MiB of entries', async () => {
    const device = await online((self) => ({
      StreamDirectoryContents: ({ streamId }) => {
        const many = Array<object[]>(100).fill(Array<object>(100).fill(entry('a'.repeat(100))))
        self().send('SendDirectoryContentsStream', [streamId, true], many, new Error('disk'))
        return success
      },
    }))
    await expect(contents(device)).rejects.toThrow(/terminated|fetch failed/)
  })
})

describe('operations with one request to the agent', () => {
  const told: unknown[] = []
  const note =
    <Answer>(answer: Answer) =>
    (...args: unknown[]) => {
      told.push(...args)
      return answer
    }
  const segments = {
    success: true,
    pathExists: true,
    pathSegments: ['C:\\', 'Users'],
    pathSeparator: '\\',
    errorMessage: null,
  }

  test('answer what the agent answers', async () => {
    const device = await online(() => ({
      GetRootDrives: note(successOf({ drives: [entry('C', true)] })),
      GetPathSegments: note(segments),
      ValidateFilePath: note({ isValid: false, errorMessage: 'File already exists' }),
      CreateDirectory: note(success),
      DeleteFile: note(success),
    }))
    const { deviceFileSystem } = owner
    const params = { deviceId: device.id }
    const [pathBody, newBody] = [
      { directoryPath: '/a', fileName: 'b' },
      { parentPath: '/a', directoryName: 'b' },
    ]
    expect(await deviceFileSystem.rootDrives({ body: params, ...tenant() })).toEqual({ drives: [entry('C', true)] })
    expect(await deviceFileSystem.pathSegments({ body: { ...params, targetPath: 'C:\\Users' }, ...tenant() })).toEqual(
      segments,
    )
    expect(await deviceFileSystem.validatePath({ params, body: pathBody, ...tenant() })).toEqual({
      isValid: false,
      errorMessage: 'File already exists',
    })
    expect(await deviceFileSystem.createDirectory({ params, body: newBody, ...tenant() })).toBeUndefined()
    expect(await deviceFileSystem.deletePath({ params, body: { filePath: '/a/b' }, ...tenant() })).toEqual({
      message: 'The path was deleted.',
      filePath: '/a/b',
    })
    expect(told).toEqual([params, { targetPath: 'C:\\Users' }, pathBody, newBody, { targetPath: '/a/b' }])
  })

  test('answer 400 with the reason of the agent, 408 without an answer, 500 for an invalid answer', async () => {
    const remove = (device: FileAgent) =>
      owner.deviceFileSystem.deletePath({
        params: { deviceId: device.id },
        body: { filePath: '/a' },
        ...tenant(),
      })
    const create = (device: FileAgent) =>
      owner.deviceFileSystem.createDirectory({
        params: { deviceId: device.id },
        body: { parentPath: '/', directoryName: 'a' },
        ...tenant(),
      })
    const refusing = await online(() => ({
      DeleteFile: () => failure('Target path does not exist'),
      CreateDirectory: () => failure('Directory already exists'),
    }))
    expect(await refusalOf(remove(refusing))).toEqual([400, 'Target path does not exist'])
    expect(await refusalOf(create(refusing))).toEqual([400, 'Directory already exists'])
    const address = `/api/v1/device-file-system/create-directory/${refusing.id}?tenantId=${owner.tenantId}`
    const body = JSON.stringify({ parentPath: '/', directoryName: 'a' })
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
    expect(await (await owner.fetch(address, init)).json()).toMatchObject({ code: 'path-exists' })
    let isAsked = false
    const silent = await online(() => ({ DeleteFile: () => ((isAsked = true), new Promise<never>(() => {})) }))
    const removed = refusalOf(remove(silent))
    await until(() => isAsked)
    clock.advance(30_000)
    expect(await removed).toEqual([408, 'The device did not answer in time.'])
    const confused = await online(() => ({ DeleteFile: () => null as never }))
    expect(await refusalOf(remove(confused))).toEqual([500, 'Agent did not respond.'])
  })

  test.each([
    ['validate-path', 'POST', {}, ['directoryPath', 'fileName']],
    ['create-directory', 'POST', { parentPath: '' }, ['directoryName', 'parentPath']],
    ['delete-path', 'DELETE', { filePath: 'a\0b' }, ['filePath']],
  ])('refuse a body of %s and name what is missing or wrong', async (operation, method, body, fields) => {
    const device = await online(() => ({}))
    const address = `/api/v1/device-file-system/${operation}/${device.id}?tenantId=${owner.tenantId}`
    const response = await owner.fetch(address, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const { errors } = (await response.json()) as { errors: object }
    expect([response.status, Object.keys(errors).toSorted()]).toEqual([400, fields])
  })
})

describe('every operation', () => {
  const deviceId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
  const operations: [string, string, string, object | undefined, DevicePermission][] = [
    ['contents', 'POST', '/contents', { directoryPath: '/' }, 'device.file-system.read'],
    ['subdirectories', 'POST', '/subdirectories', { directoryPath: '/' }, 'device.file-system.read'],
    ['root-drives', 'POST', '/root-drives', {}, 'device.file-system.read'],
    ['path-segments', 'POST', '/path-segments', { targetPath: '/' }, 'device.file-system.read'],
    ['validate-path', 'POST', '/validate-path/:id', { directoryPath: '/', fileName: 'a' }, 'device.file-system.read'],
    [
      'create-directory',
      'POST',
      '/create-directory/:id',
      { parentPath: '/', directoryName: 'a' },
      'device.file-system.write',
    ],
    ['delete-path', 'DELETE', '/delete-path/:id', { filePath: '/' }, 'device.file-system.delete'],
    ['download', 'GET', '/download/:id?filePath=/a', undefined, 'device.file-system.transfer-download'],
    [
      'download-archive',
      'POST',
      '/download-archive/:id',
      { archiveFileName: 'a', targetPaths: ['/'] },
      'device.file-system.transfer-download',
    ],
    ['logs', 'GET', '/logs/:id', undefined, 'device.logs.read'],
    ['logs/contents', 'GET', '/logs/:id/contents?filePath=/a', undefined, 'device.logs.read'],
    ['upload', 'POST', '/upload/:id', undefined, 'device.file-system.transfer-upload'],
  ]

  async function ask(member: Member, id: string, [name, method, path, body]: (typeof operations)[number]) {
    const [base = '', query = ''] = path.replace(':id', id).split('?')
    const form = new FormData()
    form.append('targetSaveDirectory', '/')
    form.append('file', new Blob(['x']), 'a')
    const init = body
      ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ deviceId: id, ...body }) }
      : name === 'upload'
        ? { body: form }
        : {}
    const response = await member.fetch(`/api/v1/device-file-system${base}?tenantId=${member.tenantId}&${query}`, {
      method,
      ...init,
    })
    const { detail } = (await response.json()) as { detail: string }
    return [response.status, detail]
  }

  test('needs its own permission on the device, and an online device', async () => {
    const device = await online(() => ({}))
    await device.connection.stop()
    await until(async () => !(await owner.devices.get({ params: { deviceId: device.id } })).isOnline)
    const reader = await addMember(server, owner.tenantId, ['device.read'])
    const stranger = await addMember(server, owner.tenantId, [])
    expect(new Set(operations.map(([, , , , permission]) => permission)).size).toBe(6)
    for (const operation of operations) {
      const [name, , , , permission] = operation
      const missing = `You do not have the permission ${permission} on this device.`
      const unknown = 'Device not found.'
      const answers = [
        await ask(owner, deviceId, operation),
        await ask(stranger, device.id, operation),
        await ask(reader, device.id, operation),
        await ask(owner, device.id, operation),
      ]
      expect([name, ...answers]).toEqual([
        name,
        [404, unknown],
        [404, unknown],
        [403, missing],
        [400, 'Device is not currently online.'],
      ])
    }
  })

  test('needs no other permission than its own', async () => {
    const device = await online(() => ({ DeleteFile: () => success }))
    const deleter = await addMember(server, owner.tenantId, ['device.read', 'device.file-system.delete'])
    // The server was stopped to add the member.
    await connectAgain(device)
    const input = { params: { deviceId: device.id }, body: { filePath: '/a' }, ...tenant() }
    expect(await deleter.deviceFileSystem.deletePath(input)).toMatchObject({ filePath: '/a' })
    const { body: _, ...address } = input
    expect((await refusalOf(deleter.deviceFileSystem.logs(address)))[0]).toBe(403)
  })
})

/** Reconnects the device with an agent that answers as before. */
async function connectAgain({ agent }: FileAgent) {
  const again = await agent.open(owner.url, { DeleteFile: () => success })
  // Timestamps are accepted once, across restarts too.
  clock.advance(1)
  const timestamp = new Date(clock.now()).toISOString()
  await again.UpdateDeviceSigned(agent.signed(agent.report(), { timestamp }))
}
