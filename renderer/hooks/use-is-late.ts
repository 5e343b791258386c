import { useEffect, useState } from 'react'

/** True after 150 ms of pending, or after another time: faster loads need no skeleton. */
export function useIsLate(isPending: boolean, graceMs = 150) {
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
  }, [isPending, graceMs])
  return isPending && isLate
}
