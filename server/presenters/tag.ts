import type { TagResponseDto } from '../../shared/dtos/tag.ts'
import type { TagRow } from '../models/tag.ts'

/** `deviceIds` contains the devices that the principal may read. */
export const presentTag = ({ id, name, type }: TagRow, deviceIds: string[] = []): TagResponseDto => ({
  id,
  name,
  type,
  deviceIds,
})
