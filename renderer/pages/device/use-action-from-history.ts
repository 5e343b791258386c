import { useEffect } from 'react'
import { useLocation, useNavigate } from 'react-router'
import type { ActionRequest, AskedAction } from '../../components/device-actions.ts'

/**
 * Runs the palette's action once. The action is in the history state, which only this page can write, so external links
 * cannot trigger it.
 */
export function useActionFromHistory(ask: (action: AskedAction) => void) {
  const { state, pathname } = useLocation()
  const navigate = useNavigate()
  const requested = (state as Partial<ActionRequest> | null)?.action
  useEffect(() => {
    if (!requested) {
      return
    }
    void navigate(pathname, { replace: true })
    ask(requested)
    // Runs once per action: later renders must not repeat it.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [requested])
}
