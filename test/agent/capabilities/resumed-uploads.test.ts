/** An interrupted upload resumes after the loss of the client, the server or the agent. */
import { randomBytes } from 'node:crypto'
import { linkSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { isNight } from '../../support/night.ts'
import { startRealDevice, type RealDevice } from '../../support/real-device.ts'
import { endUpload, sha256Of, uploadTo } from '../../support/resumed-upload.ts'
import { startServerProcess, temporaryFolder } from '../../support/server-process.ts'
import { registerOwner, startTestServer, type Member, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

let server: TestServer
let owner: Member
let device: RealDevice

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.owner()
  device = await startRealDevice(owner)
})
afterAll(async () => {
  await device.stop()
  await server.stop()
})

const isPart = (name: string) => name.endsWith('.farhand-part')

const uploadOf = (size: number, { by = owner, on = device }: { by?: Member; on?: RealDevice } = {}) =>
  uploadTo(by, on, size)

const size = 8_000_000

describe('an upload resumes', () => {
  test('after its client disconnected', async () => {
    const upload = uploadOf(size)
    const sending = upload.begin(0, 6_000_000)
    await upload.begun()
    sending.leave()
    await sending.status
    expect(await endUpload(upload)).toBeGreaterThan(size / 4)
  })

  test('from a new connection, which ends the old connection', async () => {
    const upload = uploadOf(size)
    const sending = upload.begin(0, 6_000_000)
    await upload.begun()
    expect(await endUpload(upload)).toBeGreaterThan(size / 4)
    expect([409, 'cut']).toContain(await sending.status)
  })

  test('after the agent was killed, without leftover files', async () => {
    const upload = uploadOf(size)
    const form = uploadOf(1)
    const sending = upload.begin(0, 6_000_000)
    const foreign = `${form.folder}/.0b2c1f0e-6d0a-4f7e-9a3c-5c3a8a1f0e11.farhand-part`
    writeFileSync(foreign, 'of somebody else')
    await upload.begun()
    // Also covers a form whose bytes are still arriving at the agent.
    const stuck = sendSome(form.folder)
    await until(() => readdirSync(form.folder).filter(isPart).length === 2)
    await device.kill()
    stuck()
    await sending.status
    await device.restart()
    await until(() => readdirSync(form.folder).filter(isPart).length === 1)
    expect(readFileSync(foreign, 'utf8')).toBe('of somebody else')
    expect(await endUpload(upload)).toBeGreaterThan(size / 4)
    expect(readdirSync(`${device.folder}/uploads`)).toEqual([])
  })

  test.runIf(isNight)('after the server was killed', async () => {
    const directory = await temporaryFolder()
    const first = await startServerProcess(directory)
    const member = await registerOwner(first.url)
    const other = await startRealDevice(member)
    onTestFinished(() => other.stop())
    const upload = uploadOf(size, { by: member, on: other })
    const sending = upload.begin(0, 6_000_000)
    await upload.begun()
    await first.kill()
    expect(await sending.status).toBe('cut')
    await startServerProcess(directory, { Urls: first.url })
    expect(await endUpload(upload)).toBeGreaterThan(size / 4)
  })

  test('in any number of pieces, also from an earlier offset', async () => {
    const upload = uploadOf(1_000_000)
    expect((await upload.send(0, 400_000)).answer).toEqual({ canResume: true, receivedBytes: 400_000, isDone: false })
    expect((await upload.send(400_000, 700_000)).answer['receivedBytes']).toBe(700_000)
    expect((await upload.send(300_000, 600_000)).answer['receivedBytes']).toBe(600_000)
    expect(await endUpload(upload)).toBe(600_000)
    // The response may have been lost.
    expect(await upload.state()).toEqual({
      canResume: true,
      receivedBytes: 1_000_000,
      isDone: true,
      sha256: upload.sha256,
    })
  })
})

/** Starts an upload by a form and pauses in the middle; the returned function drops the connection. */
function sendSome(folder: string): () => void {
  const { hostname, port } = new URL(owner.url)
  const path = `/api/v1/device-file-system/upload/${device.id}?tenantId=${owner.tenantId}`
  const headers = {
    'content-type': 'multipart/form-data; boundary=X',
    'content-length': 900_000,
    cookie: owner.cookie,
    origin: owner.url,
  }
  const request = httpRequest({ hostname, port, method: 'POST', path, headers }).on('error', () => {})
  const field = (name: string, value: string) =>
    `--X\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  request.write(field('targetSaveDirectory', folder) + field('overwrite', 'false'))
  request.write('--X\r\nContent-Disposition: form-data; name="file"; filename="b.bin"\r\n\r\n')
  request.write(randomBytes(500_000))
  return () => void request.destroy()
}

describe('an upload is rejected', () => {
  test('beyond the end of the partial file', async () => {
    const upload = uploadOf(1000)
    await upload.send(0, 500)
    const { status, answer } = await upload.send(600, 1000, { sha256: upload.sha256 })
    expect([status, answer['detail']]).toEqual([409, 'The device has only 500 bytes of this file.'])
  })

  test('when the whole file has another hash, and no part of it remains', async () => {
    const upload = uploadOf(1000)
    await upload.send(0, 500)
    const { status, answer } = await upload.send(500, 1000, { sha256: sha256Of(Buffer.from('other')) })
    expect([status, answer['detail']]).toEqual([
      409,
      'The checksum of the received file is wrong: it was damaged in transit, or changed during the upload. Upload the file again.',
    ])
    expect([readdirSync(upload.folder), (await upload.state()).receivedBytes]).toEqual([[], 0])
  })

  test('without a hash of the whole file, when sent in pieces', async () => {
    const upload = uploadOf(1000)
    await upload.send(0, 500)
    expect((await upload.send(500)).status).toBe(400)
  })

  test('over an existing file without overwrite, and its part remains stored', async () => {
    const upload = uploadOf(1000)
    await upload.send(0, 500)
    writeFileSync(`${upload.folder}/a.bin`, 'old')
    const { sha256 } = upload
    expect((await upload.state()).problem).toBe('File already exists')
    expect((await upload.send(500, 1000, { sha256 })).answer['detail']).toBe('File already exists.')
    expect((await upload.send(500, 1000, { sha256, overwrite: true })).status).toBe(200)
    expect(upload.written()).toBe(sha256)
  })

  test.each([
    ['with more bytes than the file has', { offset: 600 }],
    ['beyond the end of the file', { offset: 1001 }],
    ['with a name that is a path', { fileName: '../a' }],
  ])('%s', async (_, query) => {
    const upload = uploadOf(1000)
    await upload.send(0, 700)
    expect((await upload.send(0, 1000, { ...query, sha256: upload.sha256 })).status).toBe(400)
  })

  test('when its items are not bytes', async () => {
    const upload = uploadOf(10)
    const path = `/api/appliance/v1/devices/${device.id}/uploads/${upload.params.uploadId}`
    const query = `targetDirectory=${upload.folder}&fileName=a&fileSize=2`
    const response = await owner.fetch(`${path}?${query}`, { method: 'PUT', body: 'ab' })
    expect(response.status).toBe(415)
  })
})

test('an upload whose part file has a second link restarts with another file (T32)', async () => {
  const upload = uploadOf(1_000_000)
  await upload.send(0, 400_000)
  const [part = ''] = readdirSync(upload.folder)
  linkSync(`${upload.folder}/${part}`, `${upload.folder}/kept`)
  expect(await upload.state()).toMatchObject({ canResume: true, receivedBytes: 0 })
  expect((await upload.send(400_000, undefined, { sha256: upload.sha256 })).status).toBe(409)
  expect(await upload.send(0)).toMatchObject({ status: 200, answer: { isDone: true } })
  expect(upload.written()).toBe(upload.sha256)
  expect(statSync(`${upload.folder}/kept`).size).toBe(400_000)
})

test('a cancelled upload leaves no file, also while it runs', async () => {
  const upload = uploadOf(size)
  const sending = upload.begin(0, 6_000_000)
  await upload.begun()
  await upload.cancel()
  expect([409, 'cut']).toContain(await sending.status)
  await until(() => readdirSync(upload.folder).length === 0)
  expect(await upload.state()).toEqual({ canResume: true, receivedBytes: 0, isDone: false })
})

test('an empty file is an upload too', async () => {
  const upload = uploadOf(0)
  expect((await upload.send(0)).answer).toEqual({
    canResume: true,
    receivedBytes: 0,
    isDone: true,
    sha256: sha256Of(Buffer.alloc(0)),
  })
  expect(upload.written()).toBe(upload.sha256)
})
