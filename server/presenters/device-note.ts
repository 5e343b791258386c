import type { DeviceNoteDto } from '../../shared/api/appliance-device-notes.ts'
import type { DeviceNoteRow } from '../models/device-note.ts'

/** A note, with what the caller may do about it. */
export interface VisibleNote {
  note: DeviceNoteRow
  mayEdit: boolean
  mayDelete: boolean
  authorName: string
}

export const presentDeviceNote = ({ note, mayEdit, mayDelete, authorName }: VisibleNote): DeviceNoteDto => ({
  id: note.id,
  text: note.text,
  authorName,
  createdAt: new Date(note.createdAt).toISOString(),
  updatedAt: new Date(note.updatedAt).toISOString(),
  mayEdit,
  mayDelete,
})
