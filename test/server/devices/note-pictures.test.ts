import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { maxNotePictureBytes } from '../../../shared/api/appliance-device-notes.ts'
import { minuteMs } from '../../../shared/durations.ts'
import { manualClock } from '../../support/clock.ts'
import { beginRequest } from '../../support/late-request.ts'
import { addMember } from '../../support/people.ts'
import { serverForFile, type Member } from '../../support/server.ts'
import { addDevices, stored } from '../../support/stored.ts'
import { until } from '../../support/until.ts'

const limitMs = 5 * minuteMs
let limitsBegun = 0
const time = manualClock()
const clock: typeof time = {
  ...time,
  after(ms, run) {
    limitsBegun += ms === limitMs ? 1 : 0
    return time.after(ms, run)
  },
}
const server = serverForFile({ clock })
let owner: Member
let colleague: Member
let reader: Member
let deviceId: string
let otherId: string

beforeAll(async () => {
  const { tenantId } = await server.owner()
  const [device, other] = await addDevices(server, tenantId, 2)
  deviceId = device!.id
  otherId = other!.id
  colleague = await addMember(server, tenantId, ['device.read', 'device.overview.read', 'device.alias.write'])
  reader = await addMember(server, tenantId, ['device.read', 'device.overview.read'])
  owner = await server.signIn()
})

const picture = async (width: number, height: number) =>
  Buffer.from(
    await sharp({ create: { width, height, channels: 3, background: 'teal' } })
      .png()
      .toBuffer(),
  )
const path = (noteId: string, device = deviceId) => `/api/appliance/v1/devices/${device}/notes/${noteId}/picture`
const send = (by: Member, noteId: string, body: Buffer<ArrayBuffer>) =>
  by.fetch(path(noteId), { method: 'PUT', headers: { 'content-type': 'application/octet-stream' }, body })
const write = () => owner.applianceDeviceNotes.add({ params: { deviceId }, body: { text: 'See the error.' } })
const pictures = () => stored<{ noteId: string }>(server, 'SELECT noteId FROM device_note_pictures')

test('a picture is read by whoever reads the note, shown by no browser, and deleted with the note', async () => {
  const { id } = await write()
  const png = await picture(40, 30)
  expect((await send(owner, id, png)).status).toBe(200)
  const { items } = await reader.applianceDeviceNotes.list({ params: { deviceId } })
  const facts = { type: 'image/png', width: 40, height: 30, byteCount: png.length }
  expect(items).toMatchObject([{ id, picture: facts }])
  const answer = await reader.fetch(path(id))
  expect(Buffer.from(await answer.arrayBuffer()).equals(png)).toBe(true)
  expect([answer.headers.get('content-type'), answer.headers.get('x-content-type-options')]).toEqual([
    'application/octet-stream',
    'nosniff',
  ])
  const edited = { params: { deviceId, noteId: id }, body: { text: 'Seen.' } }
  expect((await owner.applianceDeviceNotes.edit(edited)).picture).toEqual(facts)
  await owner.applianceDeviceNotes.delete({ params: { deviceId, noteId: id } })
  expect(await pictures()).toEqual([])
})

test('only the author sets a picture, and a note of another device has none', async () => {
  const { id } = await write()
  const png = await picture(8, 8)
  expect((await send(colleague, id, png)).status).toBe(403)
  expect((await send(reader, id, png)).status).toBe(403)
  expect(await pictures()).toEqual([])
  expect((await owner.fetch(path(id))).status).toBe(404)
  await send(owner, id, png)
  expect((await owner.fetch(path(id, otherId))).status).toBe(404)
})

test('a picture in the place of another one changes its note, so that pages that keep the first show the second', async () => {
  const note = await write()
  const png = await picture(8, 8)
  const changedAt = async () => ((await (await send(owner, note.id, png)).json()) as { updatedAt: string }).updatedAt
  expect(await changedAt()).toBe(note.updatedAt)
  const second = await changedAt()
  expect(second > note.updatedAt).toBe(true)
  expect((await changedAt()) > second).toBe(true)
})

test('pictures that are announced as too large leave the account its transfers', async () => {
  const { id } = await write()
  const headers = {
    ...owner.headers,
    'content-type': 'application/octet-stream',
    'content-length': maxNotePictureBytes + 1,
  }
  // An account may have 32 transfers.
  for (let sent = 0; sent < 33; sent++) {
    const announced = request(`${server.url}${path(id)}`, { method: 'PUT', headers }).on('error', () => {})
    announced.flushHeaders()
    const [answer] = (await once(announced, 'response')) as [IncomingMessage]
    announced.destroy()
    expect(answer.statusCode).toBe(400)
  }
  expect((await send(owner, id, await picture(40, 30))).status).toBe(200)
})

test('a picture that takes 5 minutes to arrive is rejected, one that arrives just before is kept', async () => {
  const png = await picture(40, 30)
  const begin = async () => {
    const { id } = await write()
    const before = limitsBegun
    const headers = { ...owner.headers, 'Content-Type': 'application/octet-stream' }
    const request = await beginRequest(server.url, { start: `PUT ${path(id)}`, headers, body: png })
    await until(() => limitsBegun > before)
    return request
  }
  const inTime = await begin()
  clock.advance(limitMs - 1)
  expect(await inTime.finish()).toBe(200)
  const kept = await pictures()
  const late = await begin()
  clock.advance(limitMs)
  expect(await late.finish()).toBe(400)
  expect(await pictures()).toEqual(kept)
})

test('what is no picture, has too many bytes or pixels, or exceeds what a tenant may keep is rejected', async () => {
  const { id } = await write()
  const huge = await picture(8, 8)
  huge.writeUInt32BE(60_000, 16)
  huge.writeUInt32BE(60_000, 20)
  for (const body of [Buffer.from(`<svg>${' '.repeat(40)}</svg>`), huge, Buffer.alloc(maxNotePictureBytes + 1)]) {
    expect((await send(owner, id, body)).status).toBe(400)
  }
  await server.whileStopped((database, models) =>
    database.write((transaction) =>
      models.DeviceNotePicture.update({ byteCount: 512 * 1024 * 1024 }, { where: {}, transaction }),
    ),
  )
  expect((await send(owner, id, await picture(8, 8))).status).toBe(409)
})
