import { Readable } from 'node:stream'
import {
  maxNotePictureBytes,
  maxNotePicturePixels,
  type NotePictureDto,
} from '../../shared/api/appliance-device-notes.ts'
import type { Download, IncomingBytes } from '../../shared/contract/transfer.ts'
import { minuteMs } from '../../shared/durations.ts'
import { pictureSize } from '../../shared/picture-size.ts'
import type { Call, RouteCall } from '../call/call.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { joined } from '../engines/flow/joined-bytes.ts'
import { accountOf } from '../ground/principal.ts'
import { openTransfer } from './device-transfers.ts'
import { badRequest, limitReached, found } from '../ground/errors.ts'
import { findOwnNote, listNotes, refuseGuests } from './notes.ts'
import type { VisibleNote } from './present.ts'
import type { DeviceNotePictureRow } from './tables.ts'

/** Maximum size of all pictures of a tenant: they are part of the database and of each backup. */
const maxBytesOfTenant = 512 * 1024 * 1024

/** Time for the bytes of a picture. */
const uploadMs = 5 * minuteMs
const tooSlow = badRequest('The picture took longer than 5 minutes to arrive. Send it again, or a smaller one.')

/** Type and size by the header; nothing is decoded here (T35). */
function factsOf(bytes: Buffer): NotePictureDto {
  const size = pictureSize(bytes)
  if (!size) {
    throw badRequest('The body is no JPEG, PNG or WebP.')
  }
  if (size.width * size.height > maxNotePicturePixels) {
    throw badRequest(`A picture of ${size.width} × ${size.height} pixels is too large for a note.`)
  }
  return { ...size, byteCount: bytes.length }
}

/** Keeps a picture with a note of the caller, in place of the one before. */
export async function setNotePicture(
  call: RouteCall,
  device: DeviceState,
  noteId: string,
  body: IncomingBytes,
): Promise<VisibleNote> {
  refuseGuests(call)
  const { app, actor } = call
  const held = openTransfer(call, device)
  const cancelLimit = app.clock.after(uploadMs, () => body.cancel(tooSlow))
  let bytes: Buffer
  try {
    bytes = await joined(body.read(maxNotePictureBytes))
  } finally {
    cancelLimit()
    held.close()
  }
  const facts = factsOf(bytes)
  // The credential or the right may have ended while the picture arrived (T09).
  await call.recheck()
  await app.database.write(async (transaction) => {
    const note = await findOwnNote(call, device, noteId, transaction)
    const { DeviceNotePicture } = app.models
    if ((await DeviceNotePicture.destroy({ where: { noteId }, transaction })) > 0) {
      // Pages keep a picture until its note has changed.
      await note.update({ updatedAt: Math.max(app.clock.now(), note.updatedAt + 1) }, { transaction })
    }
    const { tenantId } = device
    const account = accountOf(call.principal)
    const sizeOf = async (where: { tenantId: string; account?: string }) =>
      (await DeviceNotePicture.sum('byteCount', { where, transaction })) || 0
    const used = await sizeOf({ tenantId })
    const left = maxBytesOfTenant - used
    if (bytes.length > left) {
      throw limitReached('The pictures of notes take 512 MiB. Delete some of these notes first.')
    }
    // As of rows: an account has at most as much as it leaves to all others (T44).
    if (used >= left && (await sizeOf({ tenantId, account })) >= left) {
      throw limitReached(
        'The pictures of your notes take half of the 512 MiB that there are, or more. Delete some first.',
      )
    }
    const content = bytes.toString('base64')
    await DeviceNotePicture.create({ noteId, tenantId, ...facts, content, account }, { transaction })
    await app.audit.recordIn(transaction, actor, [{ kind: 'device.note-changed', device }])
  })
  return found(
    (await listNotes(call, device)).find(({ note }) => note.id === noteId),
    'note',
  )
}

export async function readNotePicture(call: Call, device: DeviceState, noteId: string): Promise<Download> {
  refuseGuests(call)
  const [row] = await call.app.database.all<Pick<DeviceNotePictureRow, 'content'>>(
    'SELECT content FROM device_note_pictures JOIN device_notes ON id = noteId WHERE noteId = ? AND deviceId = ?',
    [noteId, device.id],
  )
  const bytes = Buffer.from(found(row, 'picture').content, 'base64')
  return { length: bytes.length, body: Readable.from([bytes]) }
}
