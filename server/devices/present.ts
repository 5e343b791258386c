import type { DeviceNoteDto } from '../../shared/api/appliance-device-notes.ts'
import type { TagResponseDto } from '../../shared/dtos/tag.ts'
import { keepJson } from '../ground/json.ts'
import type { DeviceNoteRow, TagRow } from './tables.ts'

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

const tagDto = ({ id, name, type }: TagRow, deviceIds: string[]): TagResponseDto => ({ id, name, type, deviceIds })

const plain = new WeakMap<TagRow, TagResponseDto>()

/** `deviceIds` contains the devices that the principal may read. Without devices, the result caches its JSON. */
export function presentTag(tag: TagRow, deviceIds: string[] = []): TagResponseDto {
  if (deviceIds.length > 0) {
    return tagDto(tag, deviceIds)
  }
  const known = plain.get(tag) ?? keepJson(tagDto(tag, deviceIds))
  plain.set(tag, known)
  return known
}
