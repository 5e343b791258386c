import { useEffect, useRef, useState } from 'react'
import { createLogSearch, type SearchResult, type SearchWords } from './log-search.ts'

const settleMs = 150

/** Result of a search in a log, and the match that the user is at. */
export interface FoundMatches {
  result: SearchResult | undefined
  /** Line, start and end of each match, in order. */
  matches: Int32Array | undefined
  count: number
  /** Index of the current match. */
  current: number
  setCurrent: (index: number) => void
}

/** Search result, updated when the words or the lines change. */
export function useLogSearch(lines: readonly string[], words: SearchWords): FoundMatches {
  const search = useRef<ReturnType<typeof createLogSearch>>(undefined)
  const [found, setFound] = useState<{ words: SearchWords; result: SearchResult }>()
  const [current, setCurrent] = useState(0)
  const { text, isCase, isPattern } = words

  useEffect(() => {
    const created = createLogSearch()
    search.current = created
    return () => created.stop()
  }, [])
  useEffect(() => search.current?.setLines(lines, 0), [lines])
  useEffect(() => {
    if (text === '') {
      return
    }
    const requested = { text, isCase, isPattern }
    const timer = setTimeout(() => {
      void search.current?.search(requested).then((result) => result && setFound({ words: requested, result }))
    }, settleMs)
    return () => clearTimeout(timer)
  }, [lines, text, isCase, isPattern])

  const isCurrent =
    text !== '' && found?.words.text === text && found.words.isCase === isCase && found.words.isPattern === isPattern
  const result = isCurrent ? found.result : undefined
  const matches = result && result !== 'slow' ? result.matches : undefined
  const count = matches ? matches.length / 3 : 0
  return {
    result,
    matches,
    current: count > 0 ? Math.min(current, count - 1) : -1,
    setCurrent,
    count,
  }
}

/** Start and end of the matches in one line, in order. */
export function rangesIn(matches: Int32Array, line: number): { start: number; end: number; index: number }[] {
  let low = 0
  let high = matches.length / 3
  while (low < high) {
    const middle = (low + high) >> 1
    if ((matches[middle * 3] ?? 0) < line) {
      low = middle + 1
    } else {
      high = middle
    }
  }
  const ranges = []
  for (let index = low; matches[index * 3] === line; index++) {
    ranges.push({ start: matches[index * 3 + 1] ?? 0, end: matches[index * 3 + 2] ?? 0, index })
  }
  return ranges
}
