import type { AlertKind } from '../../shared/dtos/alert-rule.ts'
import type { Call } from '../call/call.ts'
import { inSlices } from '../ground/clock.ts'
import { visibleSubjects } from './rights.ts'

/**
 * Devices, checks and accounts that alerts of these kinds name to the caller: pages that show both name each once. Subjects
 * whose cause is gone are left out.
 */
export async function alertedSubjects(
  { app, principal }: Pick<Call, 'app' | 'principal'>,
  kinds: readonly AlertKind[],
): Promise<Set<string>> {
  const found = new Set<string>()
  if (principal.credential.kind === 'LogonToken') {
    return found
  }
  for await (const alert of inSlices(app.activeAlerts.all)) {
    if (kinds.some((kind) => kind === alert.row.kind)) {
      for (const { subject, goneAt } of visibleSubjects(app, principal, alert)) {
        if (goneAt === null) {
          found.add(subject)
        }
      }
    }
  }
  return found
}
