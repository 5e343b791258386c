import { useEffect, useState } from 'react'

/** The present in steps of a second, for clocks that tick. */
export function useSeconds() {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return now
}
