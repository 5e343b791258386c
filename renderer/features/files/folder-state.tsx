import { Button, Group, Skeleton, Stack } from '@mantine/core'
import {
  IconAlertCircle,
  IconEyeOff,
  IconFilterOff,
  IconFolderOff,
  IconFolderOpen,
  IconLock,
} from '@tabler/icons-react'
import { codeOf, statusOf } from '../../api/http.ts'
import { ConsentWait } from '../../components/consent-wait.tsx'
import { DeviceOffline } from '../../components/device-offline.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { FailureId, problemText } from '../../components/problem-alert.tsx'
import { useIsLate } from '../../hooks/use-is-late.ts'
import * as t from '../../texts.ts'
import { visibleName } from '../../text/visible-name.ts'
import { usePageDevice } from '../../hooks/use-page-device.ts'
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
        {t.common.retry}
      </Button>
      {folder !== '' && (
        <Button variant="default" onClick={up}>
          {t.files.goUp}
        </Button>
      )}
    </>
  )
  if (!device.isOnline) {
    return <DeviceOffline device={device} hint={t.files.offlineHint} />
  }
  if (error) {
    const reason = visibleName(problemText(error))
    const isRefused = statusOf(error) === 400 && isDenied(reason)
    return (
      <EmptyState
        icon={isRefused ? IconLock : IconAlertCircle}
        title={
          isRefused ? t.files.denied : codeOf(error) === 'consent-refused' ? t.consent.refusedTitle : t.files.failed
        }
        hint={isRefused ? t.files.deniedHint(reason) : statusOf(error) === 408 ? t.files.timeout : reason}
      >
        <Group gap={8} justify="center">
          {leave}
        </Group>
        <FailureId error={error} />
      </EmptyState>
    )
  }
  if (isThere === undefined) {
    return (
      <>
        <ConsentWait device={device} subject="files" />
        <Stack flex={1} gap={24} px={24} py={46} aria-hidden={!isLate} role="status" aria-label={t.files.loading}>
          {isLate &&
            Array.from({ length: 10 }, (_, index) => (
              <Skeleton key={index} height={12} width={`${90 - (index % 4) * 9}%`} />
            ))}
        </Stack>
      </>
    )
  }
  if (!isThere) {
    return (
      <EmptyState icon={IconFolderOff} title={t.files.missing} hint={t.files.missingHint}>
        <Group gap={8} justify="center">
          {leave}
          <Button variant="default" onClick={() => open('')}>
            {t.files.goDrives}
          </Button>
        </Group>
      </EmptyState>
    )
  }
  if (filtered > 0) {
    return (
      <EmptyState icon={IconFilterOff} title={t.files.noMatch} hint={t.files.noMatchHint(filter.trim())}>
        <Button variant="default" onClick={onClearFilter}>
          {t.files.clearFilter}
        </Button>
      </EmptyState>
    )
  }
  if (hidden > 0) {
    return (
      <EmptyState icon={IconEyeOff} title={t.files.allHidden} hint={t.files.allHiddenHint(hidden)}>
        <Button variant="default" onClick={onShowHidden}>
          {t.files.showHidden}
        </Button>
      </EmptyState>
    )
  }
  return (
    <EmptyState icon={IconFolderOpen} title={t.files.empty} hint={upload ? t.files.emptyHint : t.files.emptyReadHint} />
  )
}
