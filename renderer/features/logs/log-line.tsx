import { memo } from 'react'
import * as t from '../../texts.ts'
import { levelOf } from './log-text.ts'
import classes from './logs.module.css'
import { rangesIn } from './use-log-search.ts'

/** Longer lines are cut. */
const mostLength = 5_000

interface LogLineProps {
  text: string
  /** Line number in the file, from 1. */
  number: number
  index: number
  isNew: boolean
  matches: Int32Array | undefined
  /** Index of the current match. */
  current: number
}

/** Line of a log as plain text, with highlighted matches. */
export const LogLine = memo(function LogLine({ text, number, index, isNew, matches, current }: LogLineProps) {
  const shown = text.slice(0, mostLength)
  const pieces = []
  let at = 0
  for (const { start, end, index: match } of matches ? rangesIn(matches, index) : []) {
    if (start < mostLength) {
      pieces.push(shown.slice(at, start))
      pieces.push(
        <mark key={match} data-current={match === current || undefined}>
          {shown.slice(start, end)}
        </mark>,
      )
      at = end
    }
  }
  pieces.push(shown.slice(at))
  return (
    <>
      <span className={classes.number} data-new={isNew || undefined} aria-hidden>
        {number}
      </span>
      <span className={classes.text} data-level={levelOf(text)}>
        {pieces}
        {text.length > mostLength && <span className="muted"> {t.logs.more(text.length - mostLength)}</span>}
      </span>
    </>
  )
})
