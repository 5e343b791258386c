import { useEffect } from 'react'
import { useLocation, useNavigate } from 'react-router'
import type { ConfirmedAction } from './head/confirm-action.tsx'
import type { ActionName } from './outcome.ts'

/** Actions that the palette can start on this page. */
export type AskedAction = 'wake' | 'restart'

/**
 * Runs the palette's action once. The action is in the history state, which only this page can write, so external links
 * cannot trigger it.
 */
export function useActionFromHistory(act: (action: ActionName) => void, confirm: (action: ConfirmedAction) => void) {
  const { state, pathname } = useLocation()
  const navigate = useNavigate()
  const requested = (state as { action?: AskedAction } | null)?.action
  useEffect(() => {
    if (!requested) {
      return
    }
    void navigate(pathname, { replace: true })
    if (requested === 'restart') {
      confirm('restart')
    } else {
      act(requested)
    }
    // Runs once per action: later renders must not repeat it.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [requested])
}
