import { applianceDeviceNotes, type DeviceNoteDto } from '../../shared/api/appliance-device-notes.ts'
import { ApiError, buildUrl } from '../../shared/contract/client.ts'
import { failureOf } from './files.ts'
import { api, openBody, sendSignedIn } from './http.ts'
import { query } from './query-client.ts'

const { setPicture, picture: pictureRoute } = applianceDeviceNotes.routes
const addressOf = (deviceId: string, noteId: string) => buildUrl(pictureRoute.path, { params: { deviceId, noteId } })

/** Picture of a note, which does not change while the note was not changed. */
export const notePicture = (deviceId: string, { id, updatedAt, picture }: DeviceNoteDto) =>
  query(
    ['note-picture', id, updatedAt],
    async (signal) => {
      const bytes = await new Response(await openBody(addressOf(deviceId, id), signal)).arrayBuffer()
      return new Blob([bytes], picture ? { type: picture.type } : {})
    },
    { staleTime: Infinity, retry: false },
  )

/** Writes a note with a picture; without the picture there is no note. */
export async function addPictureNote(deviceId: string, text: string, picture: Blob): Promise<DeviceNoteDto> {
  const note = await api.deviceNotes.add({ params: { deviceId }, body: { text } })
  try {
    const answer = await sendSignedIn(addressOf(deviceId, note.id), {
      method: setPicture.method,
      headers: { 'content-type': 'application/octet-stream' },
      body: picture,
    })
    if (!answer.ok) {
      throw await failureOf(answer)
    }
    return applianceDeviceNotes.routes.setPicture.response.parse(await answer.json())
  } catch (error) {
    await api.deviceNotes.delete({ params: { deviceId, noteId: note.id } }).catch(() => undefined)
    throw error instanceof ApiError ? error : new TypeError('No answer.')
  }
}
