import { ActionIcon, Button, Stack, Tooltip } from '@mantine/core'
import {
  IconChevronDown,
  IconChevronUp,
  IconCopy,
  IconDownload,
  IconFolderSymlink,
  IconRotateClockwise,
  IconUpload,
  IconX,
} from '@tabler/icons-react'
import { useEffect, useEffectEvent, useRef, useState, useSyncExternalStore } from 'react'
import { Link, useMatch } from 'react-router'
import { cutUploads, onCutChange, type KeptUpload } from './kept-uploads.ts'
import type { TransferView } from './transfer.ts'
import { transfers } from './transfers.ts'
import { files } from '../../texts.ts'
import { byteSize, duration, fraction, percent } from '../../text/format.ts'
import { visibleName } from '../../text/visible-name.ts'
import { usePreference } from '../../styles/preferences.ts'
import { deviceAddress, isSessionTab } from '../../components/device-tabs.ts'
import { ProgressBar } from '../../components/progress-bar.tsx'
import { CutRow } from './cut-row.tsx'
import classes from './transfer-dock.module.css'

const t = files.transfers

const icons = { upload: IconUpload, download: IconDownload, copy: IconCopy, move: IconFolderSymlink } as const

const isOver = ({ state }: TransferView) => ['done', 'failed', 'canceled'].includes(state)

/** Progress and remaining time. */
function progressWords(transfer: TransferView): string {
  const {
    kind,
    doneBytes,
    totalBytes,
    bytesPerSecond,
    checked,
    files: { done, total },
  } = transfer
  if (kind === 'download' && doneBytes === 0) {
    return t.asking
  }
  if (kind === 'upload' && totalBytes !== undefined && totalBytes > 0 && doneBytes === totalBytes) {
    return t.finishing
  }
  if (checked !== undefined) {
    return t.checking(percent(checked))
  }
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
  const { state, reason = '', files: counts, doneBytes, isByBrowser } = transfer
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
      if (isByBrowser) {
        return t.byBrowser
      }
      return [t.done, counts.total > 1 && t.files(counts.done, counts.total), doneBytes > 0 && byteSize(doneBytes)]
        .filter((part) => part !== false)
        .join(' · ')
  }
}

function TransferRow({ transfer }: { transfer: TransferView }) {
  const { id, kind, state, deviceName, folder, doneBytes, totalBytes } = transfer
  const name = visibleName(transfer.name)
  const Icon = icons[kind]
  const place = (kind === 'download' ? t.from : t.to)(visibleName(deviceName), visibleName(folder))
  const part = state === 'done' ? 1 : fraction(doneBytes, totalBytes ?? 0)
  return (
    <li className={classes.transfer} data-state={state}>
      <Icon size={16} stroke={1.6} aria-label={t.kinds[kind]} />
      <Stack gap={3} flex={1} miw={0}>
        <div className={classes.name} title={`${name} ${place}`}>
          <bdi className="truncate">{name}</bdi>
          <bdi className="truncate small muted">{place}</bdi>
        </div>
        {!isOver(transfer) && <ProgressBar done={part} size="xs" label={t.progress(name)} />}
        <div className={`${classes.state} small tabular`}>{stateWords(transfer)}</div>
      </Stack>
      {transfer.canRetry && (
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
/** Number of checks before a finished list collapses. */
const glancesToFold = 3

/**
 * Whether the list is open: by the user's choice, and collapsed shortly after everything is done unless the pointer or
 * focus is in it. A new transfer opens it again.
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

interface Listed {
  all: readonly TransferView[]
  /** Uploads that leaving the page has interrupted. */
  cut: readonly KeptUpload[]
}

/** Transfers of one device, or of all devices. */
function useTransfers(deviceId: string | undefined): Listed {
  const all = useSyncExternalStore(transfers.onChange, transfers.list)
  const cut = useSyncExternalStore(onCutChange, cutUploads)
  const isOf = (id: string) => deviceId === undefined || id === deviceId
  return {
    all: all.filter((transfer) => isOf(transfer.deviceId)),
    cut: cut.filter(({ place }) => isOf(place.deviceId)),
  }
}

/** Number of transfers per state, with the progress of active ones. */
function Summary({ all, cut }: Listed) {
  const count = (...states: TransferView['state'][]) => all.filter(({ state }) => states.includes(state)).length
  const going = all.filter((transfer) => !isOver(transfer))
  const bytes = going.reduce((total, { doneBytes }) => total + doneBytes, 0)
  const expected = going.reduce((total, { totalBytes = 0 }) => total + totalBytes, 0)
  return (
    <>
      <strong>{t.title}</strong>
      <span className="muted tabular" role="status">
        {t.summary(count('running'), count('waiting', 'broken'), count('failed'), cut.length)}
      </span>
      {going.length > 0 && (
        <ProgressBar flex="0 1 160px" w={96} done={fraction(bytes, expected)} size="xs" label={t.progress(t.title)} />
      )}
    </>
  )
}

/** Transfers of the device in the head of a session; links to the list on the files tab. */
export function SessionTransfers({ deviceId }: { deviceId: string }) {
  const listed = useTransfers(deviceId)
  return (
    listed.all.length + listed.cut.length > 0 && (
      <Link to={deviceAddress(deviceId, 'files')} className={classes.pill}>
        <Summary {...listed} />
      </Link>
    )
  )
}

/** Transfers of this window; on a device page, those of the device. */
export function TransferDock() {
  const { deviceId, tab } = useMatch('/devices/:deviceId/:tab?')?.params ?? {}
  const listed = useTransfers(deviceId)
  const { all, cut } = listed
  const dock = useRef<HTMLElement>(null)
  const isSettled = cut.length === 0 && all.every(({ state }) => state === 'done' || state === 'canceled')
  const { isOpen, toggle } = useOpen(
    all.at(-1)?.id,
    isSettled,
    // Reads the DOM: removing a focused button fires no blur event.
    () => dock.current?.matches(':hover, :focus-within') ?? false,
  )
  if (all.length + cut.length === 0 || isSessionTab(tab)) {
    return null
  }
  const Chevron = isOpen ? IconChevronDown : IconChevronUp
  return (
    <section ref={dock} className={classes.dock} data-open={isOpen || undefined} aria-label={t.title}>
      <header className={classes.head}>
        <button
          type="button"
          className={isOpen ? classes.toggle : classes.pill}
          aria-expanded={isOpen}
          title={isOpen ? t.collapse : t.expand}
          onClick={toggle}
        >
          <Chevron size={16} aria-hidden />
          <Summary {...listed} />
        </button>
        {isOpen && all.some(isOver) && (
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={() => {
              transfers.clearFinished(deviceId)
              document.getElementById('page')?.focus()
            }}
          >
            {t.clear}
          </Button>
        )}
      </header>
      {isOpen && (
        // Newest first.
        <ul className={classes.list} tabIndex={0}>
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
