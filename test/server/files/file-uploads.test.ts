import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { failure, success } from '../../../shared/dtos/hub-result.ts'
import { manualClock } from '../../support/clock.ts'
import { connectFileAgent, type AgentHandlers, type FileAgent } from '../../support/file-agent.ts'
import { ownerForFile, serverForFile } from '../../support/server.ts'
import { until, within } from '../../support/until.ts'

const limit = 300_000

const clock = manualClock()
const server = serverForFile({ clock, settings: { AppOptions__MaxFileTransferSize: String(limit) } })
const owner = ownerForFile(server)

interface Written {
  request: Record<string, unknown>
  content: Buffer | Error
}

/** Connects an agent that records its uploads, and answers like real agents. */
async function writing(handlers: AgentHandlers = {}) {
  const written: Written[] = []
  let begun = 0
  const device: FileAgent = await connectFileAgent(
    owner,
    {
      DownloadFileFromViewer: async ({ streamId, ...request }) => {
        begun++
        try {
          written.push({ request, content: await device.fetch({ streamId, ...request }) })
          return success
        } catch (error) {
          written.push({ request, content: error as Error })
          return failure('File upload was canceled by client.')
        }
      },
      ...handlers,
    },
    clock,
  )
  return { device, written, begun: () => begun }
}

const addressOf = ({ id }: FileAgent) => `/api/v1/device-file-system/upload/${id}?tenantId=${owner.tenantId}`

type Part = [name: string, value: string | Buffer, fileName?: string]

function formOf(parts: Part[]): FormData {
  const form = new FormData()
  for (const [name, value, fileName] of parts) {
    if (typeof value === 'string') {
      form.append(name, value)
    } else {
      form.append(name, new Blob([new Uint8Array(value)]), fileName ?? 'a.bin')
    }
  }
  return form
}

const upload = (device: FileAgent, parts: Part[]) =>
  owner.fetch(addressOf(device), { method: 'POST', body: formOf(parts) })

const directory: Part = ['targetSaveDirectory', '/srv/in']
const overwrite: Part = ['overwrite', 'true']

async function problemOf(response: Response) {
  const { detail, errors } = (await response.json()) as { detail?: string; errors?: object }
  return { status: response.status, detail, errors }
}

const spooled = () => readdir(join(server.directory, 'uploads')).catch(() => [])

/** Sends a request whose body the test writes by hand. */
function handWritten(device: FileAgent, headers: Record<string, string | number>) {
  const { hostname, port } = new URL(owner.url)
  const request = httpRequest({
    hostname,
    port,
    method: 'POST',
    path: addressOf(device),
    headers: { cookie: owner.cookie!, origin: owner.url, ...headers },
  })
  const status = new Promise<number>((resolve, reject) => {
    request.on('response', (response) => resolve(response.resume().statusCode!)).on('error', reject)
  })
  status.catch(() => {})
  return { request, status }
}

const multipart = { 'content-type': 'multipart/form-data; boundary=XX' }
const field = (name: string, value: string) =>
  `--XX\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const fileHead = '--XX\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n'
const formEnd = '\r\n--XX--\r\n'

describe('an uploaded file', () => {
  const content = randomBytes(150_001)
  const file: Part = ['file', content, 'résumé ✓.bin']

  test.each<[string, Part[], boolean]>([
    ['after its fields', [directory, overwrite, file], true],
    ['before its fields', [file, overwrite, directory], true],
    ['between its fields', [directory, file, overwrite], true],
    ['without the optional one', [directory, file], false],
    ['with fields that nobody knows', [['note', 'x'], directory, ['overwrite', 'False'], file, ['rest', 'y']], false],
    [
      'with names in another letter case',
      [
        ['TargetSaveDirectory', '/srv/in'],
        ['Overwrite', 'true'],
        ['File', content, 'résumé ✓.bin'],
      ],
      true,
    ],
  ])('%s reaches the agent whole', async (_, parts, isOverwritten) => {
    const { device, written } = await writing()
    const response = await upload(device, parts)
    expect(await response.json()).toEqual({ message: 'The file was written.', fileName: 'résumé ✓.bin' })
    expect(written).toHaveLength(1)
    const [{ request, content: received }] = written as [Written]
    expect(request).toMatchObject({
      targetDirectoryPath: '/srv/in',
      fileName: 'résumé ✓.bin',
      overwrite: isOverwritten,
    })
    expect((received as Buffer).equals(content)).toBe(true)
    expect(await spooled()).toEqual([])
  })

  test.each<[string, Part[]]>([
    ['while it arrives', [directory, overwrite, ['file', content]]],
    ['from the disk', [['file', content], directory]],
  ])('is announced with its exact size %s', async (_, parts) => {
    const { device, written } = await writing()
    await upload(device, parts)
    expect(written[0]!.request['fileSize']).toBe(content.length)
  })

  test.each([1, 65_536, limit])('of %i bytes is written, with and without an announced length', async (size) => {
    const bytes = randomBytes(size)
    for (const parts of [
      [directory, overwrite, ['file', bytes]],
      [['file', bytes], directory],
    ] as Part[][]) {
      const { device, written } = await writing()
      expect((await upload(device, parts)).status).toBe(200)
      expect((written[0]!.content as Buffer).equals(bytes)).toBe(true)
    }
  })

  test('is passed on while it arrives, or stored first when its length is unknown', async () => {
    const { device, written, begun } = await writing()
    const body = field('targetSaveDirectory', '/in') + field('overwrite', 'true') + fileHead
    const length = body.length + 6 + formEnd.length
    const { request, status } = handWritten(device, { ...multipart, 'content-length': length })
    request.write(`${body}abc`)
    await until(() => begun() === 1)
    request.end(`def${formEnd}`)
    expect(await status).toBe(200)
    expect(written).toMatchObject([{ request: { fileSize: 6 }, content: Buffer.from('abcdef') }])
    const chunked = handWritten(device, { ...multipart, 'transfer-encoding': 'chunked' })
    chunked.request.end(body + 'ghi' + formEnd)
    expect(await chunked.status).toBe(200)
    expect(written[1]).toMatchObject({ request: { fileSize: 3 }, content: Buffer.from('ghi') })
  })
})

describe('an invalid form', () => {
  const file: Part = ['file', Buffer.from('x')]

  test.each<[string, Part[], object]>([
    ['without a file', [directory], { file: ['is required'] }],
    ['with a file that is only text', [directory, ['file', 'text']], { file: ['is required'] }],
    ['with an empty file', [directory, overwrite, ['file', Buffer.alloc(0)]], { file: ['must not be empty'] }],
    ['with an empty file before the rest', [['file', Buffer.alloc(0)], directory], { file: ['must not be empty'] }],
    ['with two files', [file, file, directory], { file: ['must be one file'] }],
    ['with two files after the fields', [directory, overwrite, file, file], { file: ['must be one file'] }],
    ['without a directory', [file], { targetSaveDirectory: [expect.any(String)] }],
    [
      'with a blank directory',
      [['targetSaveDirectory', ''], overwrite, file],
      { targetSaveDirectory: [expect.any(String)] },
    ],
    [
      'with an overwrite that is neither',
      [directory, ['overwrite', 'maybe'], file],
      { overwrite: [expect.any(String)] },
    ],
    [
      'with a field that is too long',
      [['targetSaveDirectory', 'x'.repeat(40_000)], overwrite, file],
      { targetSaveDirectory: [expect.any(String)] },
    ],
  ])('%s', async (_, parts, errors) => {
    const { device, written } = await writing()
    expect(await problemOf(await upload(device, parts))).toMatchObject({ status: 400, errors })
    // An agent that had begun to write was asked to discard the file.
    await until(() => written.every(({ content }) => content instanceof Error))
  })

  test.each([
    ['JSON', 'application/json', '{}'],
    ['a form of another kind', 'application/x-www-form-urlencoded', 'a=b'],
    ['a form without a boundary', 'multipart/form-data', 'x'],
  ])('is 400: %s', async (_, type, body) => {
    const { device } = await writing()
    const response = await owner.fetch(addressOf(device), { method: 'POST', headers: { 'content-type': type }, body })
    expect(await problemOf(response)).toMatchObject({ status: 400, detail: 'Send the body as multipart/form-data.' })
  })

  test.each([
    ['no boundary at all', 'x'],
    ['a part that breaks off', fileHead + 'abc'],
    ['a file that breaks off', field('targetSaveDirectory', '/in') + field('overwrite', 'true') + fileHead + 'abc'],
    ['a broken part header', '--XX\r\nnonsense\r\n\r\nabc' + formEnd],
    ['nothing', ''],
  ])('is 400: %s', async (_, body) => {
    const { device, written } = await writing()
    const response = await owner.fetch(addressOf(device), { method: 'POST', headers: multipart, body })
    expect((await problemOf(response)).status).toBe(400)
    await until(() => written.every(({ content }) => content instanceof Error))
    expect(await spooled()).toEqual([])
  })
})

describe('a form that is too large', () => {
  test('by its announced length is 413 before its body is read', async () => {
    const { device, written } = await writing()
    const { request, status } = handWritten(device, { ...multipart, 'content-length': 10 * limit })
    request.flushHeaders()
    expect(await within(2_000, status)).toBe(413)
    request.destroy()
    expect(written).toEqual([])
  })

  test.each<[string, (bytes: Buffer) => Part[]]>([
    ['while it goes to the agent', (bytes) => [directory, overwrite, ['file', bytes]]],
    ['while it is kept', (bytes) => [['file', bytes], directory]],
  ])('by one byte is 413, %s', async (_, partsOf) => {
    const { device, written } = await writing()
    expect(await problemOf(await upload(device, partsOf(Buffer.alloc(limit + 1))))).toMatchObject({
      status: 413,
      detail: `File size exceeds the maximum allowed size of ${limit} bytes.`,
    })
    // The agent is asked to discard the partial file.
    await until(() => written.every(({ content }) => content instanceof Error))
    expect(written.map(({ content }) => String(content)).join()).toMatch(/^$|canceled by client/)
    expect(await spooled()).toEqual([])
  })

  test('without an announced length is 413', async () => {
    const { device } = await writing()
    const { request, status } = handWritten(device, { ...multipart, 'transfer-encoding': 'chunked' })
    request.on('error', () => {})
    request.write(field('targetSaveDirectory', '/in') + fileHead)
    const timer = setInterval(() => request.write('x'.repeat(10_000)), 1)
    expect(await within(5_000, status)).toBe(413)
    clearInterval(timer)
    request.destroy()
  })

  test('in its other fields is refused', async () => {
    const { device } = await writing()
    const response = await upload(device, [['note', 'x'.repeat(70_000)], directory, ['file', Buffer.from('x')]])
    expect((await problemOf(response)).status).toBe(400)
  })
})

describe('a failing agent', () => {
  const parts: Part[] = [directory, overwrite, ['file', randomBytes(200_000)]]

  test('has its refusal passed on while the file is still arriving', async () => {
    const { device } = await writing({ DownloadFileFromViewer: () => failure('File already exists.') })
    expect(await problemOf(await upload(device, parts))).toMatchObject({ status: 500, detail: 'File already exists.' })
  })

  test('that reports success before it has the whole file is a failure', async () => {
    const { device } = await writing({ DownloadFileFromViewer: () => success })
    expect(await problemOf(await upload(device, parts))).toMatchObject({
      status: 500,
      detail: 'The device answered before it had the whole file.',
    })
  })

  test('that is offline is reported before the file is read', async () => {
    const { device } = await writing()
    await device.connection.stop()
    const { request, status } = handWritten(device, { ...multipart, 'content-length': 200_000 })
    request.on('error', () => {})
    request.flushHeaders()
    expect(await within(2_000, status)).toBe(400)
    request.destroy()
  })

  test('that disconnects during the transfer is reported', async () => {
    let leave = () => {}
    const { device } = await writing({ DownloadFileFromViewer: () => (leave(), new Promise<never>(() => {})) })
    leave = () => void device.connection.stop()
    expect(await problemOf(await upload(device, parts))).toMatchObject({
      status: 400,
      detail: 'Device is not currently online.',
    })
  })

  test('that never answers is 408 after half an hour, and leaves no spool', async () => {
    for (const order of [parts, parts.toReversed()]) {
      let isAsked = false
      const { device } = await writing({
        DownloadFileFromViewer: () => ((isAsked = true), new Promise<never>(() => {})),
      })
      const response = upload(device, order)
      await until(() => isAsked)
      clock.advance(30 * 60_000)
      expect((await problemOf(await response)).status).toBe(408)
      expect(await spooled()).toEqual([])
    }
  })
})

test.each([
  ['while it goes to the agent', field('targetSaveDirectory', '/in') + field('overwrite', 'true') + fileHead],
  ['while it is kept', fileHead],
])('a client that disconnects %s leaves nothing behind on the server', async (_, start) => {
  const { device, written, begun } = await writing()
  const { request, status } = handWritten(device, { ...multipart, 'content-length': 200_000 })
  request.write(start + 'x'.repeat(100_000))
  const isStreamed = start !== fileHead
  await until(async () => !isStreamed || begun() === 1)
  request.destroy()
  await expect(status).rejects.toThrow('socket hang up')
  if (isStreamed) {
    await until(() => written.length === 1)
    expect(String(written[0]!.content)).toContain('canceled by client')
  }
  await expect.poll(spooled).toEqual([])
})

test('the deprecated route takes the same form', async () => {
  const { device, written } = await writing()
  const response = await owner.fetch(`/api/device-file-system/upload/${device.id}`, {
    method: 'POST',
    body: formOf([directory, overwrite, ['file', Buffer.from('x')]]),
  })
  expect(response.status).toBe(200)
  expect(written).toMatchObject([{ content: Buffer.from('x') }])
})

test('many simultaneous uploads reach their own agents', async () => {
  const devices = await Promise.all(Array.from({ length: 4 }, () => writing()))
  const jobs = devices.flatMap((target, index) =>
    Array.from({ length: 4 }, (_, number) => {
      const content = randomBytes(100_000 + index + number)
      const parts: Part[] = number % 2 ? [directory, overwrite, ['file', content]] : [['file', content], directory]
      return { target, content, done: upload(target.device, parts) }
    }),
  )
  for (const { target, content, done } of jobs) {
    expect((await done).status).toBe(200)
    expect(target.written.some(({ content: received }) => (received as Buffer).equals(content))).toBe(true)
  }
})
