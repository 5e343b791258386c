import { useVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react'
import type { BatchDto, BatchResultDto } from '../../../shared/dtos/batch.ts'
import * as t from '../../texts.ts'
import { useDrawnRows } from '../../hooks/use-drawn-rows.ts'
import { rowHeights, useDensity } from '../../styles/preferences.ts'
import { ResultRow } from './result-row.tsx'
import classes from './batches.module.css'

const rowDomId = (index: number) => `result-${index}`

/** Virtual list of results, one row per device, which expands to the output. */
export function ResultList({ batch, results }: { batch: BatchDto; results: readonly BatchResultDto[] }) {
  const scroller = useRef<HTMLDivElement>(null)
  const [density] = useDensity()
  const rowHeight = rowHeights[density]
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const virtualizer = useVirtualizer({
    count: results.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => results[index]?.deviceId ?? index,
    overscan: 8,
  })
  const { items } = useDrawnRows(virtualizer)
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, rowHeight])

  const toggle = (deviceId: string) =>
    setOpened((before) => {
      const after = new Set(before)
      return after.delete(deviceId) ? after : after.add(deviceId)
    })

  /** Moves the focus between rows with the arrow keys. */
  const handleKeyDown = (event: KeyboardEvent) => {
    const row = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>('[data-row]') : null
    const moves: Record<string, number | undefined> = {
      ArrowDown: Number(row?.dataset.row) + 1,
      ArrowUp: Number(row?.dataset.row) - 1,
      Home: 0,
      End: results.length - 1,
    }
    const next = moves[event.key]
    if (!row || next === undefined || event.ctrlKey || event.altKey || event.metaKey) {
      return
    }
    event.preventDefault()
    const index = Math.min(results.length - 1, Math.max(0, next))
    virtualizer.scrollToIndex(index)
    requestAnimationFrame(() => document.getElementById(rowDomId(index))?.focus({ preventScroll: true }))
  }

  if (results.length === 0) {
    return <p className={classes.nothing}>{t.batches.noneOfThese}</p>
  }
  return (
    <div ref={scroller} className={classes.scroller} onKeyDown={handleKeyDown}>
      <ul className={classes.results} style={{ height: virtualizer.getTotalSize() }} aria-label={t.batches.list}>
        {items.map(({ index, start, key }) => {
          const result = results[index]
          return (
            result && (
              <li
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                className={classes.result}
                style={{ transform: `translateY(${start}px)` }}
                aria-setsize={results.length}
                aria-posinset={index + 1}
              >
                <ResultRow
                  id={rowDomId(index)}
                  index={index}
                  batch={batch}
                  result={result}
                  isOpen={opened.has(result.deviceId)}
                  onToggle={() => toggle(result.deviceId)}
                />
              </li>
            )
          )
        })}
      </ul>
    </div>
  )
}
