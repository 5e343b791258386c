import type { DesktopSession } from '../../../shared/dtos/desktop-session.ts'

/**
 * The desktop that a lost session may come back to by itself, among those that a device has now; after a restart of its
 * agent another process serves it. `elsewhose` when only somebody else's stands in its place: nobody's screen is shown
 * without being chosen. A screen where nobody is signed in is nobody's.
 */
export function sameDesktop(
  now: readonly DesktopSession[],
  before: DesktopSession,
): DesktopSession | 'elsewhose' | undefined {
  const inItsPlace = now.filter(
    ({ systemSessionId, name }) => systemSessionId === before.systemSessionId || name === before.name,
  )
  const candidates = inItsPlace.length > 0 || now.length > 1 ? inItsPlace : now
  const own = candidates.filter(({ username }) => username === before.username || username === '')
  const same = own.find(({ systemSessionId }) => systemSessionId === before.systemSessionId) ?? own[0]
  return same ?? (candidates.length > 0 ? 'elsewhose' : undefined)
}
