import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import * as t from '../../texts.ts'
import { besideCursor } from './beside-cursor.ts'
import type { CompletionMatch } from './completer.ts'
import classes from './completion-list.module.css'
import type { Xterm } from './xterm.ts'

/** Width in the style sheet. */
const width = 320

interface CompletionListProps {
  matches: readonly CompletionMatch[]
  /** Number of all matches, including those not listed. */
  total: number
  xterm: Xterm
  onPick: (match: CompletionMatch) => void
  onClose: () => void
}

/** List of completions at the cursor, with text from the device. */
export function CompletionList({ matches, total, xterm, onPick, onClose }: CompletionListProps) {
  const list = useRef<HTMLDivElement>(null)
  const [index, setIndex] = useState(0)
  useEffect(() => list.current?.focus(), [])
  useEffect(() => {
    list.current?.children[index]?.scrollIntoView({ block: 'nearest' })
  }, [index])
  const move = (step: number) => setIndex((before) => (before + step + matches.length) % matches.length)
  const pick = () => {
    const match = matches[index]
    if (match) {
      onPick(match)
    }
  }
  const keys: Record<string, () => void> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Home: () => setIndex(0),
    End: () => setIndex(matches.length - 1),
    Enter: pick,
    Tab: pick,
    Escape: onClose,
  }
  const handleKey = (event: KeyboardEvent) => {
    const action = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined
    if (action) {
      event.preventDefault()
      action()
    } else if (event.key.length === 1 || event.key === 'Backspace') {
      // Typing continues in the line: the list closes and the key reaches the terminal.
      onClose()
    }
  }
  return (
    <div className={classes.completions} style={besideCursor(xterm, width)}>
      <div
        ref={list}
        role="listbox"
        tabIndex={0}
        className={classes.completionList}
        aria-label={t.terminal.completions}
        aria-activedescendant={`completion-${index}`}
        onKeyDown={handleKey}
        onBlur={onClose}
      >
        {matches.map((match, at) => (
          <div
            key={at}
            id={`completion-${at}`}
            role="option"
            aria-selected={at === index}
            className={classes.completion}
            title={match.toolTip}
            onMouseDown={(event) => {
              event.preventDefault()
              onPick(match)
            }}
          >
            {match.listItemText || match.completionText}
          </div>
        ))}
      </div>
      {total > matches.length && (
        <p className={`${classes.completionMore} small muted`}>{t.terminal.completionsMore(matches.length, total)}</p>
      )}
    </div>
  )
}
