import { randomUUID } from 'node:crypto'
import type { Transaction } from 'sequelize'
import type { NotePictureDto } from '../../shared/api/appliance-device-notes.ts'
import type { Call } from '../call/call.ts'
import { checkRowLimit } from '../call/check-row-limit.ts'
import { limitReached, forbidden, found } from '../ground/errors.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import type { DeviceNoteRow } from './tables.ts'
import type { VisibleNote } from './present.ts'
import { deviceRight } from '../fleet/rights.ts'
import { nameOfCaller } from '../people/names.ts'
import { accountOf, ownerOf } from '../ground/principal.ts'

const maxNotesOfDevice = 50

/** Notes are for the organization, not for the guest of a link to one device. */
export function refuseGuests({ principal: { credential } }: Call) {
  if (credential.kind === 'LogonToken') {
    throw forbidden('Notes are not shown to guests of a link.')
  }
}

const isAuthor = ({ principal }: Call, { author }: DeviceNoteRow) => author === ownerOf(principal)

/** The right to delete a device with its notes includes the right to delete each note. */
const mayDeleteOthers = ({ app, principal }: Call, device: DeviceState) =>
  deviceRight(app, principal, 'device.delete')(device)

/** Sizes and types of the pictures of a device's notes, by note. */
async function picturesOf({ app }: Call, device: DeviceState): Promise<ReadonlyMap<string, NotePictureDto>> {
  const rows = await app.database.all<NotePictureDto & { noteId: string }>(
    'SELECT noteId, type, width, height, byteCount FROM device_note_pictures JOIN device_notes ON id = noteId WHERE deviceId = ?',
    [device.id],
  )
  return new Map(rows.map(({ noteId, ...picture }) => [noteId, picture]))
}

const seenBy = (
  call: Call,
  device: DeviceState,
  note: DeviceNoteRow,
  picture: NotePictureDto | null = null,
): VisibleNote => ({
  note,
  picture,
  mayEdit: isAuthor(call, note),
  authorName: call.app.accounts.nameOf(note.author.split(' ').at(-1)!) ?? note.authorName,
  mayDelete: isAuthor(call, note) || mayDeleteOthers(call, device),
})

/** Notes of a device, newest first. */
export async function listNotes(call: Call, device: DeviceState): Promise<VisibleNote[]> {
  refuseGuests(call)
  const rows = await call.app.database.all<DeviceNoteRow>(
    'SELECT * FROM device_notes WHERE deviceId = ? ORDER BY createdAt DESC, id',
    [device.id],
  )
  const pictures = await picturesOf(call, device)
  return rows.map((note) => seenBy(call, device, note, pictures.get(note.id)))
}

export async function addNote(call: Call, device: DeviceState, text: string): Promise<VisibleNote> {
  refuseGuests(call)
  const { app, principal, actor } = call
  const { DeviceNote } = app.models
  const now = app.clock.now()
  const account = accountOf(principal)
  const note: DeviceNoteRow = {
    id: randomUUID(),
    deviceId: device.id,
    tenantId: device.tenantId,
    text,
    searchText: text.toLowerCase(),
    author: ownerOf(principal),
    authorName: nameOfCaller(call),
    createdAt: now,
    updatedAt: now,
    account,
  }
  await app.database.write(async (transaction) => {
    if ((await DeviceNote.count({ where: { deviceId: device.id }, transaction })) >= maxNotesOfDevice) {
      throw limitReached(`This device has ${maxNotesOfDevice} notes. Delete one first.`)
    }
    const { tenantId } = device
    await checkRowLimit('notes about devices', DeviceNote, { tenantId }, transaction, { own: { account } })
    await DeviceNote.create(note, { transaction })
    await app.audit.recordIn(transaction, actor, [{ kind: 'device.note-added', device }])
  })
  return seenBy(call, device, note)
}

async function findNote(
  { app: { models } }: Call,
  { id: deviceId }: DeviceState,
  id: string,
  transaction: Transaction,
) {
  return found(await models.DeviceNote.findOne({ where: { id, deviceId }, transaction }), 'note')
}

/** Finds a note to change; only its author may, because the note carries the author's name. */
export async function findOwnNote(call: Call, device: DeviceState, id: string, transaction: Transaction) {
  const note = await findNote(call, device, id, transaction)
  if (!isAuthor(call, note)) {
    throw forbidden('Only the author of a note may change it.')
  }
  return note
}

export async function editNote(call: Call, device: DeviceState, id: string, text: string): Promise<VisibleNote> {
  refuseGuests(call)
  const { app, actor } = call
  const changed = await app.database.write(async (transaction) => {
    const note = await findOwnNote(call, device, id, transaction)
    await note.update({ text, searchText: text.toLowerCase(), updatedAt: app.clock.now() }, { transaction })
    await app.audit.recordIn(transaction, actor, [{ kind: 'device.note-changed', device }])
    return note.get({ plain: true })
  })
  return seenBy(call, device, changed, (await picturesOf(call, device)).get(id))
}

export async function deleteNote(call: Call, device: DeviceState, id: string): Promise<void> {
  refuseGuests(call)
  const { app, actor } = call
  await app.database.write(async (transaction) => {
    const note = await findNote(call, device, id, transaction)
    if (!isAuthor(call, note) && !mayDeleteOthers(call, device)) {
      throw forbidden('Only the author of a note, or somebody who may delete the device, may delete the note.')
    }
    const details = { author: note.authorName }
    await note.destroy({ transaction })
    await app.audit.recordIn(transaction, actor, [{ kind: 'device.note-deleted', device, details }])
  })
}
