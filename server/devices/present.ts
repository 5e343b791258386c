import type { DeviceNoteDto, NotePictureDto } from '../../shared/api/appliance-device-notes.ts'
import type { DevicePowerDto, PowerOrderDto, PowerStateDto } from '../../shared/dtos/power-order.ts'
import type { TagResponseDto } from '../../shared/dtos/tag.ts'
import { instant } from '../ground/instant.ts'
import { keepJson } from '../ground/json.ts'
import type { DeviceNoteRow, PowerOrderRow, TagRow } from './tables.ts'

/** A note, with what the caller may do about it. */
export interface VisibleNote {
  note: DeviceNoteRow
  picture: NotePictureDto | null
  mayEdit: boolean
  mayDelete: boolean
  authorName: string
}

export const presentDeviceNote = ({ note, picture, mayEdit, mayDelete, authorName }: VisibleNote): DeviceNoteDto => ({
  id: note.id,
  text: note.text,
  picture,
  authorName,
  createdAt: instant(note.createdAt),
  updatedAt: instant(note.updatedAt),
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

export const presentPowerOrder = ({ change, person, dueAt, makerName, createdAt }: PowerOrderRow): PowerOrderDto => ({
  change,
  person,
  dueAt: instant(dueAt),
  orderedBy: makerName,
  createdAt: instant(createdAt),
})

/** Power changes of a device, as its agent has reported them, and its order. */
export const presentDevicePower = (
  state: PowerStateDto | undefined,
  order: PowerOrderRow | undefined,
): DevicePowerDto => ({
  variants: state?.variants ?? null,
  order: order ? { ...presentPowerOrder(order), isAsking: state?.order?.isAsking ?? false } : null,
})
