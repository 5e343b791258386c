import type { TagResponseDto } from '../../shared/dtos/tag.ts'
import { keepJson } from '../json.ts'
import type { TagRow } from '../models/tag.ts'

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
