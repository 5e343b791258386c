import { useEffect, useState } from 'react'

/** Current time in steps of a second. */
export function useSeconds() {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return now
}
