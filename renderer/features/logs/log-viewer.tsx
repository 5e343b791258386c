import { Box, Button, Stack } from '@mantine/core'
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState, type KeyboardEvent, type RefObject } from 'react'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { saveAddress } from '../transfers/download.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import * as t from '../../texts.ts'
import { byteSize } from '../../text/format.ts'
import { usePreference } from '../../styles/preferences.ts'
import { useTabIsShown } from '../../hooks/use-page-device.ts'
import { LogLine } from './log-line.tsx'
import type { LogText } from './log-lines.ts'
import { LogToolbar } from './log-toolbar.tsx'
import classes from './logs.module.css'
import { logAddress, useLog, type LogFile, type LogState } from './use-log.ts'
import { useLogSearch, type FoundMatches } from './use-log-search.ts'

const lineHeight = 18
/** Distance from the end that still counts as the end, in pixels. */
const nearEnd = 2 * lineHeight
const noLines: readonly string[] = []

function outcomeOf({ result, current, count }: FoundMatches, isAsked: boolean) {
  if (!isAsked) {
    return ''
  }
  if (result === undefined) {
    return t.common.searching
  }
  if (result === 'slow') {
    return t.logs.slowPattern
  }
  if (result.isWrong) {
    return t.logs.wrongPattern
  }
  return count === 0 ? t.logs.nothing : t.logs.found(current + 1, result.total)
}

/** Scroll state of the lines: follows the end while the user is there, and counts lines added meanwhile. */
interface LogScroll {
  lines: readonly string[]
  scroller: RefObject<HTMLDivElement | null>
  virtualizer: Virtualizer<HTMLDivElement, Element>
  totalHeight: number
  /** First line added while the user was further up. */
  unseenFrom: number | undefined
  isAtEnd: RefObject<boolean>
  goToEnd: () => void
  handleScroll: () => void
}

function useLogScroll({ log, newFrom, isReplaced }: LogState, isWrapped: boolean): LogScroll {
  const lines = log?.lines ?? noLines
  const scroller = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const [unseenFrom, setUnseenFrom] = useState<number>()

  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => lineHeight,
    overscan: 12,
  })
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, isWrapped])

  const stayAtEnd = () => {
    const element = scroller.current
    if (element && isAtEnd.current) {
      element.scrollTop = element.scrollHeight
    }
  }
  const goToEnd = () => {
    setUnseenFrom(undefined)
    isAtEnd.current = true
    stayAtEnd()
  }
  // Wrapped lines are measured when they become visible, which changes the total height.
  const totalHeight = virtualizer.getTotalSize()
  useLayoutEffect(stayAtEnd, [totalHeight])

  const handleLines = useEffectEvent(() => {
    if (isAtEnd.current) {
      goToEnd()
    } else if (newFrom !== undefined) {
      setUnseenFrom((before) => (isReplaced ? newFrom : Math.min(before ?? newFrom, newFrom)))
    }
  })
  useEffect(() => handleLines(), [lines])
  const handleScroll = () => {
    const element = scroller.current
    isAtEnd.current = !element || element.scrollHeight - element.scrollTop - element.clientHeight < nearEnd
    if (isAtEnd.current && unseenFrom !== undefined) {
      setUnseenFrom(undefined)
    }
  }
  return { lines, scroller, virtualizer, totalHeight, unseenFrom, isAtEnd, goToEnd, handleScroll }
}

/** Navigates between matches. */
function useMatchSteps(search: FoundMatches, key: string, { virtualizer, isAtEnd }: LogScroll) {
  const { matches, current, count, setCurrent } = search
  const lineOfMatch = (index: number) => matches?.[index * 3] ?? 0
  const showMatch = (index: number) => {
    setCurrent(index)
    isAtEnd.current = false
    virtualizer.scrollToIndex(lineOfMatch(index), { align: 'center' })
  }
  const step = (by: 1 | -1) => count > 0 && showMatch((current + by + count) % count)
  // A new search starts at the first visible line.
  const startAt = useEffectEvent(() => {
    if (count > 0) {
      const top = virtualizer.range?.startIndex ?? 0
      let index = 0
      while (index < count && lineOfMatch(index) < top) {
        index++
      }
      showMatch(index % count)
    }
  })
  const requested = search.result === undefined ? '' : key
  useEffect(() => {
    if (requested !== '') {
      startAt()
    }
  }, [requested])
  return step
}

interface LogLinesProps {
  label: string
  log: LogText | undefined
  scroll: LogScroll
  search: FoundMatches
  isWrapped: boolean
  /** First line to mark as new. */
  newFrom: number | undefined
}

function LogLines({ label, log, scroll, search, isWrapped, newFrom }: LogLinesProps) {
  const { lines, virtualizer } = scroll
  const digits = String((log?.dropped ?? 0) + lines.length).length
  return (
    <div
      ref={scroll.scroller}
      className={classes.scroller}
      data-wrapped={isWrapped || undefined}
      role="group"
      aria-label={label}
      tabIndex={0}
      onScroll={scroll.handleScroll}
    >
      {log && lines.length === 0 && <p className={classes.note}>{t.logs.empty}</p>}
      <div className={classes.canvas} style={{ height: scroll.totalHeight }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => (
          <div
            key={index}
            ref={isWrapped ? virtualizer.measureElement : undefined}
            className={classes.row}
            data-index={index}
            style={{ transform: `translateY(${start}px)`, gridTemplateColumns: `${digits + 2}ch 1fr` }}
          >
            <LogLine
              text={lines[index] ?? ''}
              number={(log?.dropped ?? 0) + index + 1}
              index={index}
              isNew={newFrom !== undefined && index >= newFrom}
              matches={search.matches}
              current={search.current}
            />
          </div>
        ))}
      </div>
    </div>
  )
}

export function LogViewer({ device, file }: { device: DeviceResponseDto; file: LogFile }) {
  const isShown = useTabIsShown()
  const [isFollowing, setIsFollowing] = useState(false)
  const [isWrapped, setIsWrapped] = usePreference('logs.wrap', false)
  const state = useLog(device, file, isFollowing && isShown && device.isOnline)
  const { log, newFrom, isReplaced, isReading, progress, error, retry } = state
  const scroll = useLogScroll(state, isWrapped)
  const { lines, scroller, unseenFrom, goToEnd } = scroll
  const [words, setWords] = useState({ text: '', isCase: false, isPattern: false })
  const search = useLogSearch(lines, words)
  const { count } = search
  const step = useMatchSteps(search, `${words.text} ${words.isCase} ${words.isPattern}`, scroll)
  const field = useRef<HTMLInputElement>(null)
  /** Error of the download. */
  const [refusal, setRefusal] = useState<unknown>()

  const handleKeys = (event: KeyboardEvent) => {
    if ((event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'f') {
      event.preventDefault()
      field.current?.select()
    } else if (event.key === 'F3') {
      event.preventDefault()
      step(event.shiftKey ? -1 : 1)
    }
  }

  if (error && !log) {
    return (
      <Box px="var(--page-side)" py={20}>
        <ProblemAlert error={error} title={t.logs.failed} onRetry={retry} />
      </Box>
    )
  }
  return (
    <Stack gap={0} component="section" flex={1} mih={0} aria-label={file.fileName} onKeyDown={handleKeys}>
      <LogToolbar
        search={{
          field,
          words,
          onWords: setWords,
          outcome: outcomeOf(search, words.text !== ''),
          hasMatches: count > 0,
          onStep: step,
          onLeave: () => scroller.current?.focus(),
        }}
        tools={{
          isFollowing,
          onFollow: (isNow) => {
            setIsFollowing(isNow)
            if (isNow) {
              goToEnd()
            }
          },
          isWrapped,
          onWrap: setIsWrapped,
          onEnd: goToEnd,
          onDownload: () => {
            setRefusal(undefined)
            saveAddress(logAddress(device, file.fullPath)).catch(setRefusal)
          },
        }}
      />
      {refusal !== undefined && <ProblemAlert error={refusal} />}
      {log && log.dropped > 0 && <p className={classes.note}>{t.logs.dropped(log.dropped)}</p>}
      {isReplaced && <p className={classes.note}>{t.logs.replaced}</p>}
      {error !== undefined && log && <ProblemAlert error={error} title={t.logs.failed} onRetry={retry} />}
      <LogLines
        label={t.logs.text(file.fileName)}
        log={log}
        scroll={scroll}
        search={search}
        isWrapped={isWrapped}
        newFrom={isFollowing && newFrom !== undefined ? (scroll.unseenFrom ?? newFrom) : undefined}
      />
      <footer className={`${classes.foot} small muted tabular`}>
        <span role="status">
          {log ? `${t.logs.lines(log.dropped + lines.length)} · ${byteSize(log.bytes)}` : ''}
          {isReading && !log ? t.logs.reading(`${byteSize(progress)} / ${byteSize(file.size)}`) : ''}
        </span>
        {unseenFrom !== undefined && (
          <Button size="compact-xs" variant="light" onClick={goToEnd}>
            {t.logs.newLines(lines.length - unseenFrom)}
          </Button>
        )}
      </footer>
    </Stack>
  )
}
