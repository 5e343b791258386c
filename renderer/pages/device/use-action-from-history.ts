import { useEffect } from 'react'
import { useLocation, useNavigate } from 'react-router'
import type { ConfirmedAction } from './head/confirm-action.tsx'
import type { ActionName } from './outcome.ts'

/** What the palette may ask of the page that it leads to. */
export type AskedAction = 'wake' | 'restart'

/**
 * Carries out what the palette asked for, once. It comes with the step in the history, which only this page can make: a
 * link from elsewhere asks for nothing.
 */
export function useActionFromHistory(act: (action: ActionName) => void, confirm: (action: ConfirmedAction) => void) {
  const { state, pathname } = useLocation()
  const navigate = useNavigate()
  const asked = (state as { action?: AskedAction } | null)?.action
  useEffect(() => {
    if (!asked) {
      return
    }
    void navigate(pathname, { replace: true })
    if (asked === 'restart') {
      confirm('restart')
    } else {
      act(asked)
    }
    // Asked once, whatever else of the page changes meanwhile.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [asked])
}
