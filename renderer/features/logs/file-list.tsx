import { ActionIcon, Tooltip, UnstyledButton } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { RelativeTime } from '../../components/relative-time.tsx'
import { en as t } from '../../strings/en.ts'
import { byteSize } from '../../strings/format.ts'
import classes from './logs.module.css'
import type { LogFile } from './use-log.ts'

export interface LogFileGroup {
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
export const FileList = ({ groups, note, active, isFetching, onChoose, onRefresh }: FileListProps) => (
  <nav className={classes.files} aria-label={t.logs.files}>
    {groups.map(({ groupName, logFiles }, index) => (
      <section key={groupName} className={classes.group}>
        <div className={classes.groupHead}>
          <h2 className="truncate">{groupName}</h2>
          {index === 0 && (
            <Tooltip label={t.logs.refresh}>
              <ActionIcon size="sm" aria-label={t.logs.refresh} loading={isFetching} onClick={onRefresh}>
                <IconRefresh size={15} stroke={1.6} />
              </ActionIcon>
            </Tooltip>
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
