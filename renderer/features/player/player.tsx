import { Group, Select, Slider, Switch, Tooltip } from '@mantine/core'
import {
  memo,
  useCallback,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
  type ReactNode,
  type RefObject,
} from 'react'
import type { RecordingMarkDto, RecordingReadingDto } from '../../../shared/dtos/recording.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { shownIcon, shownKeys, shownLabel, findUsable } from '../../components/actions.ts'
import { IconButton } from '../../components/icon-button.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { clockTime } from '../../text/format.ts'
import { visibleName } from '../../text/visible-name.ts'
import * as t from '../../texts.ts'
import { useXterm } from '../terminal/use-xterm.ts'
import { useFullScreen } from '../viewer-kit/use-full-screen.ts'
import { useStore } from '../viewer-kit/use-viewer-session.ts'
import {
  fillAction,
  placeOf,
  playAction,
  playerActions,
  quietAction,
  stepActions,
  type PlayerContext,
} from './actions.ts'
import { PictureScreen } from './picture-screen.ts'
import { Playback, speeds, type Screen } from './playback.ts'
import classes from './player.module.css'
import { TerminalScreen } from './terminal-screen.ts'

/** Whether an element needs a key for itself. The recorded terminal is only read, and a button is pressed with Space. */
function needs(element: Element, key: string) {
  const isField = element.matches('input, textarea') && !element.closest('.xterm')
  return isField || element.closest('[role="dialog"]') !== null || (key === ' ' && element.matches('button, a'))
}

/** Shortcuts of the player, anywhere on its page; the slider's own steps are too short for a recording. */
function usePlayerKeys(context: PlayerContext): void {
  const find = useEffectEvent((event: KeyboardEvent) => findUsable(playerActions, event, context))
  useEffect(() => {
    const handleKeyDown = (event: KeyboardEvent) => {
      const run = find(event)
      if (run && !(event.target instanceof Element && needs(event.target, event.key))) {
        event.preventDefault()
        event.stopPropagation()
        run()
      }
    }
    document.addEventListener('keydown', handleKeyDown, true)
    return () => document.removeEventListener('keydown', handleKeyDown, true)
  }, [])
}

const fontSize = 13
/** Marks in the list, and places of the strip that can have a mark. */
const mostListed = 300
const places = 400

export interface PlayerProps {
  reading: RecordingReadingDto
  readBlock: (index: number, signal: AbortSignal) => Promise<Uint8Array>
  /** Called with the playback once it exists, for an export. */
  onPlayback?: (playback: Playback | undefined, canvas: HTMLCanvasElement | undefined) => void
}

/** Playback of a reading on a screen, until either changes. */
function usePlayback({ reading, readBlock }: PlayerProps, screen: Screen | undefined): Playback | undefined {
  const [playback, setPlayback] = useState<Playback>()
  useEffect(() => {
    if (!screen) {
      return undefined
    }
    const created = new Playback({ reading, readBlock, screen })
    setPlayback(created)
    return () => {
      created.stop()
      setPlayback(undefined)
    }
  }, [reading, readBlock, screen])
  return playback
}

function useAnnounced(
  playback: Playback | undefined,
  canvas: RefObject<HTMLCanvasElement | null> | undefined,
  onPlayback: PlayerProps['onPlayback'],
) {
  useEffect(() => {
    onPlayback?.(playback, canvas?.current ?? undefined)
    return () => onPlayback?.(undefined, undefined)
  }, [playback, canvas, onPlayback])
}

/** Plays a recorded screen. */
export function PicturePlayer(props: PlayerProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [screen, setScreen] = useState<Screen>()
  useEffect(() => setScreen(new PictureScreen(canvas.current!)), [])
  const playback = usePlayback(props, screen)
  useAnnounced(playback, canvas, props.onPlayback)
  return (
    <Frame playback={playback} marks={props.reading.marks}>
      <canvas ref={canvas} className={classes.picture} role="img" aria-label={t.player.picture} />
    </Frame>
  )
}

/** Plays a recorded terminal. */
export function TerminalPlayer(props: PlayerProps) {
  const element = useRef<HTMLDivElement>(null)
  const xterm = useXterm(element, t.player.terminal, fontSize)
  const screen = useMemo(() => xterm && new TerminalScreen(xterm), [xterm])
  const playback = usePlayback(props, screen)
  useAnnounced(playback, undefined, props.onPlayback)
  return (
    <Frame playback={playback} marks={props.reading.marks}>
      <div ref={element} className={classes.terminal} />
    </Frame>
  )
}

interface FrameProps {
  playback: Playback | undefined
  marks: readonly RecordingMarkDto[]
  children: ReactNode
}

function Frame({ playback, marks, children }: FrameProps) {
  const { isFull: isFullScreen, toggle: toggleFullScreen } = useFullScreen()
  return (
    <div className={classes.player} data-full-screen={isFullScreen || undefined}>
      <div className={classes.stage}>{children}</div>
      {playback && <Controls context={{ playback, marks, isFullScreen, toggleFullScreen }} />}
      {playback && <Marks playback={playback} marks={marks} />}
    </div>
  )
}

/** Marks on the timeline, at most one for each place. */
function Strip({ marks, durationMs }: { marks: readonly RecordingMarkDto[]; durationMs: number }) {
  const taken = new Set(marks.map(({ at }) => Math.round((at / Math.max(1, durationMs)) * places)))
  return (
    <div className={classes.strip} aria-hidden>
      {[...taken].map((place) => (
        <span key={place} style={{ left: `${(place / places) * 100}%` }} />
      ))}
    </div>
  )
}

function Controls({ context }: { context: PlayerContext }) {
  const { playback, marks } = context
  const { position, isLoading, speed, skipsQuiet, problem } = useStore(playback.store)!
  const { durationMs } = playback
  usePlayerKeys(context)
  const PlayIcon = shownIcon(playAction, context)!
  const playLabel = shownLabel(playAction, context)
  return (
    <div className={classes.controls}>
      {problem !== undefined && <ProblemAlert error={problem} title={t.player.failed} />}
      <div className={classes.timeline}>
        <Slider
          thumbLabel={t.player.position}
          min={0}
          max={Math.max(1, durationMs)}
          step={100}
          value={position}
          label={clockTime}
          thumbProps={{ 'aria-valuetext': clockTime(position) }}
          onChange={(place) => playback.seek(place)}
        />
        <Strip marks={marks} durationMs={durationMs} />
      </div>
      <Group gap="8px 12px">
        <IconButton
          label={playLabel}
          hint={`${playLabel} (${shownKeys(playAction).join('+')})`}
          variant="filled"
          color="accent"
          size={34}
          icon={<PlayIcon size={18} />}
          onClick={() => playAction.run(context)}
        />
        {stepActions.map((action) => (
          <ActionButton key={action.name} action={action} context={context} size={34} />
        ))}
        <span className="tabular" role="timer">
          {t.player.time(clockTime(position), clockTime(durationMs))}
        </span>
        {isLoading && <span className="muted small">{t.player.loading}</span>}
        <div className={classes.view}>
          <Tooltip label={`${t.player.skipQuietHint} (${shownKeys(quietAction).join('+')})`}>
            <Switch label={t.player.skipQuiet} checked={skipsQuiet} onChange={() => quietAction.run(context)} />
          </Tooltip>
          <Select
            w={84}
            size="xs"
            aria-label={t.player.speed}
            allowDeselect={false}
            data={speeds.map((value) => ({ value: String(value), label: t.player.times(value) }))}
            value={String(speed)}
            onChange={(value) => playback.setSpeed(Number(value))}
          />
          <ActionButton action={fillAction} context={context} size={34} />
        </div>
      </Group>
    </div>
  )
}

interface MarkListProps {
  marks: readonly RecordingMarkDto[]
  /** Mark that the playback has passed last; -1 before the first. */
  current: number
  onJump: (position: number) => void
}

/** Rows of the marks. Memoized: the position changes ten times a second, the current mark rarely. */
const MarkList = memo(({ marks, current, onJump }: MarkListProps) => {
  const list = useRef<HTMLOListElement>(null)
  useEffect(() => {
    // Returns a promise in newer browsers, which is no cleanup.
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [current])
  return (
    <ol ref={list}>
      {marks.map((mark, index) => (
        <li key={index}>
          <button type="button" aria-current={index === current || undefined} onClick={() => onJump(placeOf(mark))}>
            <span className="tabular muted">{clockTime(mark.at)}</span>
            <bdi className="truncate">{visibleName(t.player.mark(mark))}</bdi>
          </button>
        </li>
      ))}
    </ol>
  )
})

/** Marks as a list: a press leads to a moment shortly before. */
function Marks({ playback, marks }: { playback: Playback; marks: readonly RecordingMarkDto[] }) {
  const { position } = useStore(playback.store)!
  const listed = useMemo(() => marks.slice(0, mostListed), [marks])
  const jump = useCallback((to: number) => playback.seek(to), [playback])
  return (
    <section className={classes.marks} aria-label={t.player.marks}>
      <h2>{t.player.marks}</h2>
      {marks.length === 0 && <p className="muted">{t.player.noMarks}</p>}
      <MarkList marks={listed} current={listed.findLastIndex(({ at }) => at <= position)} onJump={jump} />
      {marks.length > listed.length && (
        <p className="muted small">{t.player.moreMarks(marks.length - listed.length)}</p>
      )}
    </section>
  )
}
