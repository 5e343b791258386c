import { applianceDeviceNotes } from '../../shared/api/appliance-device-notes.ts'
import { presentDeviceNote } from '../presenters/device-note.ts'
import { addNote, deleteNote, editNote, listNotes } from '../services/devices/notes.ts'
import { implement } from './implement.ts'

export const applianceDeviceNoteRoutes = implement(applianceDeviceNotes, {
  list: async (call, { device }) => ({ items: (await listNotes(call, device)).map(presentDeviceNote) }),
  add: async (call, { device, body }) => presentDeviceNote(await addNote(call, device, body.text)),
  edit: async (call, { device, params, body }) =>
    presentDeviceNote(await editNote(call, device, params.noteId, body.text)),
  delete: (call, { device, params }) => deleteNote(call, device, params.noteId),
})
