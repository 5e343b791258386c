import type { DeviceAbsenceDto } from '../../../../shared/dtos/device-absence.ts'
import * as t from '../../../texts.ts'

/** Title of an absence. It claims that the device is late only once it is. */
export function titleOf({ cause, evidence, since }: DeviceAbsenceDto, now: number): string | undefined {
  if (!cause) {
    return undefined
  }
  const { title, soon } = t.visit.absence.causes[cause]
  const latest = Math.max(...[...evidence.map(({ at }) => at), since ?? ''].map((at) => Date.parse(at) || 0))
  return soon && now - latest < soon.minutes * 60_000 ? soon.title : title
}
