import type { DeviceNoteDto } from '../../shared/api/appliance-device-notes.ts'
import type { DeviceNoteRow } from '../models/device-note.ts'

interface Seen {
  note: DeviceNoteRow
  mayEdit: boolean
  mayDelete: boolean
}

export const presentDeviceNote = ({ note, mayEdit, mayDelete }: Seen): DeviceNoteDto => ({
  id: note.id,
  text: note.text,
  authorName: note.authorName,
  createdAt: new Date(note.createdAt).toISOString(),
  updatedAt: new Date(note.updatedAt).toISOString(),
  mayEdit,
  mayDelete,
})
