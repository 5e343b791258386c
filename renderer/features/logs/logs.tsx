import { Alert, Box, Skeleton, Stack, UnstyledButton } from '@mantine/core'
import { IconFileText, IconInfoCircle, IconRefresh } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { IconButton } from '../../components/icon-button.tsx'
import { deviceQueries } from '../../api/device-queries.ts'
import { DeviceOffline } from '../../components/device-offline.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { useIsLate } from '../../hooks/use-is-late.ts'
import * as t from '../../texts.ts'
import { usePageDevice } from '../../hooks/use-page-device.ts'
import { LogViewer } from './log-viewer.tsx'
import classes from './logs.module.css'
import { RelativeTime } from '../../components/relative-time.tsx'
import { byteSize } from '../../text/format.ts'
import type { LogFile } from './use-log.ts'

interface LogFileGroup {
  groupName: string
  logFiles: readonly LogFile[]
}

interface FileListProps {
  groups: readonly LogFileGroup[]
  /** Shown below the list when not all files are listed. */
  note?: string
  active: string
  isFetching: boolean
  onChoose: (fullPath: string) => void
  onRefresh: () => void
}

/** Log files of the device, with size and age. */
const FileList = ({ groups, note, active, isFetching, onChoose, onRefresh }: FileListProps) => (
  <nav className={classes.files} aria-label={t.logs.files}>
    {groups.map(({ groupName, logFiles }, index) => (
      <section key={groupName} className={classes.group}>
        <div className={classes.groupHead}>
          <h2 className="truncate">{groupName}</h2>
          {index === 0 && (
            <IconButton
              label={t.logs.refresh}
              icon={<IconRefresh size={15} stroke={1.6} />}
              size="sm"
              loading={isFetching}
              onClick={onRefresh}
            />
          )}
        </div>
        {logFiles.map(({ fullPath, fileName, size, lastModified }) => (
          <UnstyledButton
            key={fullPath}
            className={classes.file}
            aria-current={fullPath === active || undefined}
            title={fullPath}
            onClick={() => onChoose(fullPath)}
          >
            <bdi className="truncate">{fileName}</bdi>
            <span className="small muted tabular">
              {byteSize(size)} · <RelativeTime at={lastModified} />
            </span>
          </UnstyledButton>
        ))}
      </section>
    ))}
    {note !== undefined && <p className="small muted">{note}</p>}
  </nav>
)

/** Maximum number of listed files. */
const mostFiles = 1000

function filesShown(listed: readonly LogFileGroup[]) {
  let left = mostFiles
  const groups = listed
    .map(({ groupName, logFiles }) => {
      const shown = logFiles.slice(0, left)
      left -= shown.length
      return { groupName, logFiles: shown }
    })
    .filter(({ logFiles }) => logFiles.length > 0)
  const files = groups.flatMap(({ logFiles }) => logFiles)
  return { groups, files, listed: listed.reduce((sum, { logFiles }) => sum + logFiles.length, 0) }
}

/** Log files of the device, and the viewer of the selected one. */
export default function Logs() {
  const { device } = usePageDevice()
  const [chosen, setChosen] = useState<string>()
  const { data, error, isPending, isFetching, refetch } = useQuery({
    ...deviceQueries.logFiles(device.id),
    enabled: device.isOnline,
  })
  const isLate = useIsLate(isPending && device.isOnline)
  const { groups, files, listed } = filesShown(data ?? [])
  const active = files.find(({ fullPath }) => fullPath === chosen) ?? files[0]

  if (!device.isOnline && !data) {
    return <DeviceOffline device={device} hint={t.logs.offlineHint} />
  }
  if (error && !data) {
    return (
      <Box px="var(--page-side)" py={20}>
        <ProblemAlert error={error} onRetry={() => void refetch()} />
      </Box>
    )
  }
  if (!data) {
    return (
      <Box px="var(--page-side)" py={20} aria-busy>
        {isLate && <Skeleton height={48} />}
      </Box>
    )
  }
  if (!active) {
    return <EmptyState icon={IconFileText} title={t.logs.none} hint={t.logs.noneHint} />
  }
  return (
    <div className={classes.frame}>
      <FileList
        groups={groups}
        {...(listed > files.length && { note: t.logs.many(files.length, listed) })}
        active={active.fullPath}
        isFetching={isFetching}
        onChoose={setChosen}
        onRefresh={() => void refetch()}
      />
      <Stack gap={0} flex={1} miw={0} mih={0}>
        {!device.isOnline && (
          <Alert className={classes.notice} color="gray" role="status" icon={<IconInfoCircle size={18} />}>
            {t.common.deviceOffline}. {t.logs.offlineHint}
          </Alert>
        )}
        <LogViewer key={active.fullPath} device={device} file={active} />
      </Stack>
    </div>
  )
}
