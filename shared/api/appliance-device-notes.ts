import { z } from 'zod'
import { createdAt, dateTime, dto, fileBytes, id, listDto, ownId } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { deviceId } from '../dtos/references.ts'

const params = z.object({ deviceId })
const noteParams = params.extend({ noteId: id.describe('The note, by its `id`.') })
const read = { permission: 'device.overview.read', on: 'device', at: 'deviceId' } as const
const write = { permission: 'device.alias.write', on: 'device', at: 'deviceId' } as const

export const maxNoteLength = 4000
/** Maximum size of the picture of a note. */
export const maxNotePictureBytes: number = 4 * 1024 * 1024
/** Pixels of an 8K screen. */
export const maxNotePicturePixels: number = 7680 * 4320

const body = dto('DeviceNoteRequestDto', {
  text: z
    .string()
    .trim()
    .min(1, 'must not be blank')
    .max(maxNoteLength)
    .describe('Markdown of 1 to 4,000 characters. HTML is shown as text.'),
})

const NotePictureDto = dto('NotePictureDto', {
  type: z.enum(['image/jpeg', 'image/png', 'image/webp']).describe('Media type, read from the bytes.'),
  width: z.int().describe('Pixels.'),
  height: z.int().describe('Pixels.'),
  byteCount: z.int().describe('Length of the picture in bytes.'),
})
export type NotePictureDto = z.output<typeof NotePictureDto>

export const DeviceNoteDto = dto('DeviceNoteDto', {
  id: ownId,
  text: z.string().describe('Markdown, to be shown without any HTML.'),
  picture: NotePictureDto.nullable().describe('Picture of the note, which has a route of its own.'),
  authorName: z.string().describe('Name of the author when the note was written.'),
  createdAt,
  updatedAt: dateTime.describe(
    'When the author last changed the text or replaced the picture; the same as `createdAt` if never.',
  ),
  mayEdit: z.boolean().describe('Whether the caller may change the text: its author may.'),
  mayDelete: z.boolean().describe('Whether the caller may delete the note: its author, and who may delete the device.'),
})
export type DeviceNoteDto = z.output<typeof DeviceNoteDto>

/** Notes of people about a device. */
export const applianceDeviceNotes = defineRoutes('DeviceNotes', {
  list: {
    method: 'GET',
    path: '/api/appliance/v1/devices/:deviceId/notes',
    summary: 'Notes about a device, newest first; guests of a logon link get 403',
    access: read,
    tenant: 'none',
    params,
    response: listDto('DeviceNoteListDto', DeviceNoteDto, 'At most 50; not paged.'),
  },
  add: {
    method: 'POST',
    path: '/api/appliance/v1/devices/:deviceId/notes',
    summary: 'Write a note about a device',
    access: write,
    tenant: 'none',
    params,
    body,
    response: DeviceNoteDto,
    status: 201,
    problems: { 409: 'The device has 50 notes, or the tenant 20,000.' },
  },
  edit: {
    method: 'PUT',
    path: '/api/appliance/v1/devices/:deviceId/notes/:noteId',
    summary: 'Change the text of a note; only its author may',
    access: write,
    tenant: 'none',
    params: noteParams,
    body,
    response: DeviceNoteDto,
  },
  setPicture: {
    method: 'PUT',
    path: '/api/appliance/v1/devices/:deviceId/notes/:noteId/picture',
    summary: 'Keep a picture with a note, in place of the one before; only its author may',
    description: `The body is a JPEG, PNG or WebP of at most ${maxNotePictureBytes / 1024 ** 2} MiB and the pixels of an 8K screen. Whoever reads the note sees the picture; it is deleted with the note.`,
    problems: {
      400: 'The body is no such picture, or too large.',
      409: 'The pictures of the notes of the tenant would take more than 512 MiB.',
    },
    access: write,
    tenant: 'none',
    params: noteParams,
    bodyType: 'bytes',
    body: fileBytes,
    response: DeviceNoteDto,
  },
  picture: {
    method: 'GET',
    path: '/api/appliance/v1/devices/:deviceId/notes/:noteId/picture',
    summary: 'Picture of a note; guests of a logon link get 403',
    access: read,
    tenant: 'none',
    params: noteParams,
    response: z.unknown(),
    content: 'stream',
    // Shown by no browser: a page takes the type from the note.
    mediaType: 'application/octet-stream',
  },
  delete: {
    method: 'DELETE',
    path: '/api/appliance/v1/devices/:deviceId/notes/:noteId',
    summary: 'Delete a note; its author may, and who may delete the device',
    access: read,
    tenant: 'none',
    params: noteParams,
  },
})
