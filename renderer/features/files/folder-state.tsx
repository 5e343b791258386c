import { Button, Skeleton } from '@mantine/core'
import {
  IconAlertCircle,
  IconDeviceDesktopOff,
  IconEyeOff,
  IconFilterOff,
  IconFolderOff,
  IconFolderOpen,
  IconLock,
} from '@tabler/icons-react'
import { statusOf } from '../../api/http.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { FailureId, problemText } from '../../components/problem-alert.tsx'
import { useIsLate } from '../../hooks/use-is-late.ts'
import { en } from '../../strings/en.ts'
import { files as t } from '../../strings/en-files.ts'
import { visibleName } from '../../strings/visible-name.ts'
import { usePageDevice } from '../../hooks/use-page-device.ts'
import classes from './files.module.css'
import { usePageFiles } from './page-files.ts'

interface FolderStateProps {
  error: Error | null
  /** Undefined while unknown. */
  isThere: boolean | undefined
  hidden: number
  filter: string
  filtered: number
  onShowHidden: () => void
  onClearFilter: () => void
}

const isDenied = (reason: string) => /denied|not permitted/i.test(reason)

/** Explains why no rows are shown, and offers the next step. */
export function FolderState(props: FolderStateProps) {
  const { error, isThere, hidden, filter, filtered, onShowHidden, onClearFilter } = props
  const { folder, up, open, refresh, upload } = usePageFiles()
  const { device } = usePageDevice()
  const isLate = useIsLate(isThere === undefined && !error)

  const leave = (
    <>
      <Button variant="default" onClick={refresh}>
        {en.common.retry}
      </Button>
      {folder !== '' && (
        <Button variant="default" onClick={up}>
          {t.goUp}
        </Button>
      )}
    </>
  )
  if (!device.isOnline) {
    return <EmptyState icon={IconDeviceDesktopOff} title={t.offline} hint={t.offlineHint} />
  }
  if (error) {
    const reason = visibleName(problemText(error))
    const isRefused = statusOf(error) === 400 && isDenied(reason)
    return (
      <EmptyState
        icon={isRefused ? IconLock : IconAlertCircle}
        title={isRefused ? t.denied : t.failed}
        hint={isRefused ? t.deniedHint(reason) : statusOf(error) === 408 ? t.timeout : reason}
      >
        <div className={classes.choices}>{leave}</div>
        <FailureId error={error} />
      </EmptyState>
    )
  }
  if (isThere === undefined) {
    return (
      <div className={classes.skeleton} aria-hidden={!isLate} role="status" aria-label={en.files.loading}>
        {isLate &&
          Array.from({ length: 10 }, (_, index) => (
            <Skeleton key={index} height={12} width={`${90 - (index % 4) * 9}%`} />
          ))}
      </div>
    )
  }
  if (!isThere) {
    return (
      <EmptyState icon={IconFolderOff} title={t.missing} hint={t.missingHint}>
        <div className={classes.choices}>
          {leave}
          <Button variant="default" onClick={() => open('')}>
            {t.goDrives}
          </Button>
        </div>
      </EmptyState>
    )
  }
  if (filtered > 0) {
    return (
      <EmptyState icon={IconFilterOff} title={t.noMatch} hint={t.noMatchHint(filter.trim())}>
        <Button variant="default" onClick={onClearFilter}>
          {t.clearFilter}
        </Button>
      </EmptyState>
    )
  }
  if (hidden > 0) {
    return (
      <EmptyState icon={IconEyeOff} title={t.allHidden} hint={t.allHiddenHint(hidden)}>
        <Button variant="default" onClick={onShowHidden}>
          {t.showHidden}
        </Button>
      </EmptyState>
    )
  }
  return <EmptyState icon={IconFolderOpen} title={t.empty} hint={upload ? t.emptyHint : t.emptyReadHint} />
}
