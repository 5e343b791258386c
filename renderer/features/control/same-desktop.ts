import type { DesktopSession } from '../../../shared/dtos/desktop-session.ts'

/**
 * Finds the desktop to reconnect to. After a restart of the agent another process serves it. Returns `elsewhose` if
 * only other users' desktops are in its place: their screen needs a choice by the viewer. A desktop without a signed-in
 * user may be shown.
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
