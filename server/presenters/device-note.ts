import type { DeviceNoteDto } from '../../shared/api/appliance-device-notes.ts'
import type { DeviceNoteRow } from '../models/device-note.ts'

/** A note, with what the caller may do about it. */
export interface VisibleNote {
  note: DeviceNoteRow
  mayEdit: boolean
  mayDelete: boolean
}

export const presentDeviceNote = ({ note, mayEdit, mayDelete }: VisibleNote): DeviceNoteDto => ({
  id: note.id,
  text: note.text,
  authorName: note.authorName,
  createdAt: new Date(note.createdAt).toISOString(),
  updatedAt: new Date(note.updatedAt).toISOString(),
  mayEdit,
  mayDelete,
})
