import { useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router'
import { useTabIsShown } from '../../hooks/use-page-device.ts'

/** Number of history entries since the first folder, stored in each entry's state. */
const stepOf = (state: unknown) =>
  typeof state === 'object' && state !== null && 'fileStep' in state ? Number(state.fileStep) : 0

/**
 * Folder in the address, else the last one on screen, else `start`. Empty for the list of drives; undefined while
 * unknown.
 */
export function useFolder(start: string | undefined) {
  const isShown = useTabIsShown()
  const [query] = useSearchParams()
  const { state } = useLocation()
  const navigate = useNavigate()
  const inAddress = isShown ? (query.get('path') ?? undefined) : undefined
  const [last, setLast] = useState(inAddress)
  const folder = inAddress ?? last ?? start
  if (inAddress !== undefined && inAddress !== last) {
    setLast(inAddress)
  }
  const step = stepOf(state)
  const furthest = useRef(step)
  furthest.current = Math.max(furthest.current, step)

  useEffect(() => {
    if (isShown && inAddress === undefined && folder !== undefined) {
      void navigate({ search: `?${new URLSearchParams({ path: folder }).toString()}` }, { replace: true, state })
    }
  }, [isShown, inAddress, folder, navigate, state])

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
