import { useEffect, useState } from 'react'

const graceMs = 150

/** True after 150 ms of pending: faster loads need no skeleton. */
export function useIsLate(isPending: boolean) {
  const [isLate, setIsLate] = useState(false)
  useEffect(() => {
    if (!isPending) {
      return
    }
    const timer = setTimeout(() => setIsLate(true), graceMs)
    return () => {
      clearTimeout(timer)
      setIsLate(false)
    }
  }, [isPending])
  return isPending && isLate
}
