import { useEffect, useState } from 'react'

const graceMs = 150

/** True once something has been pending for 150 ms: what is faster needs no skeleton. */
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
