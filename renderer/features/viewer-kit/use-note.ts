import { useCallback, useEffect, useState } from 'react'

const noteMs = 6_000

/** Text that disappears after 6 s. */
export function useNote(): [string | undefined, (text: string | undefined) => void] {
  const [note, setNote] = useState<string>()
  useEffect(() => {
    const timer = note === undefined ? undefined : setTimeout(() => setNote(undefined), noteMs)
    return () => clearTimeout(timer)
  }, [note])
  return [note, useCallback((text: string | undefined) => setNote(text), [])]
}
