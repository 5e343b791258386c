import type { RightsGrantDto } from '../../../shared/dtos/rights.ts'
import * as t from '../../texts.ts'
import { moment } from '../../text/format.ts'

/** A row of the list; its id lasts while the switch or the end changes. */
export type GrantRow = RightsGrantDto & { id: string }

export const rowOf = (grant: RightsGrantDto): GrantRow => ({ ...grant, id: grant.assignmentIds[0]! })

/** Says how an assignment stands: off, ended, or until when. */
export function standing({ isEnabled, hasEnded, endsAt }: RightsGrantDto): string {
  const when = endsAt === null ? '' : moment(Date.parse(endsAt))
  return !isEnabled ? t.rights.off : hasEnded ? t.rights.ended(when) : endsAt === null ? '' : t.rights.until(when)
}
