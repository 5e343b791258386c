import { useSyncExternalStore, useEffect, useState } from 'react'

/** Current time in steps of a second. */
export function useSeconds() {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return now
}

const stepMs = 5_000
const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void) {
  listeners.add(listener)
  timer ??= setInterval(() => {
    now = Date.now()
    listeners.forEach((each) => each())
  }, stepMs)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
  }
}

/** Current time in steps of 5 s, with one timer for the page. */
export const useNow = () =>
  Math.max(
    useSyncExternalStore(subscribe, () => now),
    now,
  )
