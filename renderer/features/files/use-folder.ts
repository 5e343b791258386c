import { useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router'
import { useTabIsShown } from '../../hooks/use-page-device.ts'

/** Entries of the history since the first folder; kept with each of them. */
const stepOf = (state: unknown) =>
  typeof state === 'object' && state !== null && 'fileStep' in state ? Number(state.fileStep) : 0

/**
 * The folder that the address names; the one that was last on screen where it names none. Empty: the drives. Undefined:
 * not known yet.
 */
export function useFolder(start: string | undefined) {
  const isShown = useTabIsShown()
  const [query] = useSearchParams()
  const { state } = useLocation()
  const navigate = useNavigate()
  const asked = isShown ? (query.get('path') ?? undefined) : undefined
  const [last, setLast] = useState(asked)
  const folder = asked ?? last ?? start
  if (asked !== undefined && asked !== last) {
    setLast(asked)
  }
  const step = stepOf(state)
  const furthest = useRef(step)
  furthest.current = Math.max(furthest.current, step)

  useEffect(() => {
    if (isShown && asked === undefined && folder !== undefined) {
      void navigate({ search: `?${new URLSearchParams({ path: folder }).toString()}` }, { replace: true, state })
    }
  }, [isShown, asked, folder, navigate, state])

  return {
    folder,
    open(path: string) {
      if (path !== folder) {
        furthest.current = step + 1
        const search = `?${new URLSearchParams({ path }).toString()}`
        void navigate({ search }, { state: { fileStep: step + 1 } })
      }
    },
    back: step > 0 ? () => void navigate(-1) : undefined,
    forward: step < furthest.current ? () => void navigate(1) : undefined,
  }
}
