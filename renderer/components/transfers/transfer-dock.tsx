import { ActionIcon, Button, Progress, Tooltip } from '@mantine/core'
import {
  IconChevronDown,
  IconChevronUp,
  IconDownload,
  IconRotateClockwise,
  IconUpload,
  IconX,
} from '@tabler/icons-react'
import { useEffect, useEffectEvent, useRef, useState, useSyncExternalStore } from 'react'
import { cutUploads, onCutChange } from '../../api/transfers/kept-uploads.ts'
import type { TransferView } from '../../api/transfers/transfer-queue.ts'
import { transfers } from '../../api/transfers/transfers.ts'
import { files } from '../../strings/en-files.ts'
import { byteSize, duration, fraction } from '../../strings/format.ts'
import { visibleName } from '../../strings/visible-name.ts'
import { usePreference } from '../../styles/preferences.ts'
import { CutRow } from './cut-row.tsx'
import classes from './transfer-dock.module.css'

const t = files.transfers

const isOver = ({ state }: TransferView) => ['done', 'failed', 'canceled'].includes(state)

/** What has arrived of it, and how long the rest takes. */
function progressWords({ doneBytes, totalBytes, bytesPerSecond, files: { done, total } }: TransferView): string {
  const left = totalBytes !== undefined && bytesPerSecond ? (totalBytes - doneBytes) / bytesPerSecond : undefined
  return [
    total > 1 && t.files(done, total),
    t.bytes(byteSize(doneBytes), totalBytes === undefined ? undefined : byteSize(totalBytes)),
    bytesPerSecond !== undefined && t.speed(byteSize(bytesPerSecond)),
    left !== undefined && t.left(duration(left)),
  ]
    .filter((part) => part !== false)
    .join(' · ')
}

function stateWords(transfer: TransferView): string {
  const { state, reason = '', files: counts, doneBytes } = transfer
  switch (state) {
    case 'running':
      return progressWords(transfer)
    case 'waiting':
      return t.waiting
    case 'broken':
      return t.broken(t.reasons[reason] ?? visibleName(reason))
    case 'failed':
      return t.failedFiles(counts.failed, t.failures[reason] ?? visibleName(reason))
    case 'canceled':
      return t.canceled
    case 'done':
      return [t.done, counts.total > 1 && t.files(counts.done, counts.total), doneBytes > 0 && byteSize(doneBytes)]
        .filter((part) => part !== false)
        .join(' · ')
  }
}

function TransferRow({ transfer }: { transfer: TransferView }) {
  const { id, kind, state, deviceName, folder, doneBytes, totalBytes } = transfer
  const name = visibleName(transfer.name)
  const Icon = kind === 'upload' ? IconUpload : IconDownload
  const place = (kind === 'upload' ? t.to : t.from)(visibleName(deviceName), visibleName(folder))
  const part = state === 'done' ? 1 : fraction(doneBytes, totalBytes ?? 0)
  return (
    <li className={classes.transfer} data-state={state}>
      <Icon size={16} stroke={1.6} aria-label={kind === 'upload' ? t.upload : t.download} />
      <div className={classes.words}>
        <div className={classes.name} title={`${name} ${place}`}>
          <bdi className="truncate">{name}</bdi>
          <bdi className="truncate small muted">{place}</bdi>
        </div>
        {!isOver(transfer) && <Progress value={part * 100} size="xs" aria-label={t.progress(name)} />}
        <div className={`${classes.state} small tabular`}>{stateWords(transfer)}</div>
      </div>
      {(state === 'failed' || state === 'broken') && (
        <Tooltip label={t.retry(name)} multiline maw={320}>
          <ActionIcon aria-label={t.retry(name)} onClick={() => transfers.retry(id)}>
            <IconRotateClockwise size={16} />
          </ActionIcon>
        </Tooltip>
      )}
      {!isOver(transfer) && (
        <Tooltip label={t.cancel(name)} multiline maw={320}>
          <ActionIcon aria-label={t.cancel(name)} onClick={() => transfers.cancel(id)}>
            <IconX size={16} />
          </ActionIcon>
        </Tooltip>
      )}
    </li>
  )
}

const glanceMs = 2_000
/** Long enough to read that something is done. */
const glancesToFold = 3

/**
 * Whether the list is open: as the person likes it, and folded by itself a moment after all is done while nobody looks at it,
 * with pointer or focus. What comes next opens it again.
 */
function useOpen(newest: number | undefined, isSettled: boolean, isLookedAt: () => boolean) {
  const [isWanted, setIsWanted] = usePreference('transfers.open', true)
  const [folded, setFolded] = useState<number>()
  const isOpen = isWanted && !(isSettled && folded === newest)
  const mayFold = isOpen && isSettled
  const look = useEffectEvent(isLookedAt)
  useEffect(() => {
    if (!mayFold) {
      return
    }
    let glances = 0
    const timer = setInterval(() => {
      glances = look() ? 0 : glances + 1
      if (glances === glancesToFold) {
        setFolded(newest)
      }
    }, glanceMs)
    return () => clearInterval(timer)
  }, [mayFold, newest])
  const toggle = () => {
    setFolded(undefined)
    setIsWanted(!isOpen)
  }
  return { isOpen, toggle }
}

/** Everything that this window sends and fetches, below every page while there is something. */
export function TransferDock() {
  const all = useSyncExternalStore(transfers.onChange, transfers.list)
  const cut = useSyncExternalStore(onCutChange, cutUploads)
  const dock = useRef<HTMLElement>(null)
  const isSettled = cut.length === 0 && all.every(({ state }) => state === 'done' || state === 'canceled')
  const { isOpen, toggle } = useOpen(
    all.at(-1)?.id,
    isSettled,
    // Asked of the page: a button that goes with its row says nothing of losing the focus.
    () => dock.current?.matches(':hover, :focus-within') ?? false,
  )
  if (all.length === 0 && cut.length === 0) {
    return null
  }
  const count = (...states: TransferView['state'][]) => all.filter(({ state }) => states.includes(state)).length
  const Chevron = isOpen ? IconChevronDown : IconChevronUp
  const going = all.filter((transfer) => !isOver(transfer))
  const bytes = going.reduce((total, { doneBytes }) => total + doneBytes, 0)
  const expected = going.reduce((total, { totalBytes = 0 }) => total + totalBytes, 0)
  return (
    <section ref={dock} className={classes.dock} aria-label={t.title}>
      <header className={classes.head}>
        <button
          type="button"
          className={classes.toggle}
          aria-expanded={isOpen}
          title={isOpen ? t.collapse : t.expand}
          onClick={toggle}
        >
          <Chevron size={16} aria-hidden />
          <strong>{t.title}</strong>
          <span className="muted tabular" role="status">
            {t.summary(count('running'), count('waiting', 'broken'), count('failed'), cut.length)}
          </span>
        </button>
        {going.length > 0 && !isOpen && (
          <Progress
            className={classes.total}
            value={fraction(bytes, expected) * 100}
            size="xs"
            aria-label={t.progress(t.title)}
          />
        )}
        {all.some(isOver) && (
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={() => {
              transfers.clearFinished()
              document.getElementById('page')?.focus()
            }}
          >
            {t.clear}
          </Button>
        )}
      </header>
      {isOpen && (
        // The newest on top: that is what somebody looks for.
        <ul className={classes.list}>
          {cut.map((upload) => (
            <CutRow key={upload.id} upload={upload} />
          ))}
          {all.toReversed().map((transfer) => (
            <TransferRow key={transfer.id} transfer={transfer} />
          ))}
        </ul>
      )}
    </section>
  )
}
