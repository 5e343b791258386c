import { Alert, CloseButton } from '@mantine/core'
import { IconAlertCircle } from '@tabler/icons-react'
import { problemText } from '../../components/problem-alert.tsx'
import { en } from '../../strings/en.ts'
import { files as t } from '../../strings/en-files.ts'
import { moment } from '../../strings/format.ts'
import { visibleName } from '../../strings/visible-name.ts'
import { usePageDevice } from '../../hooks/use-page-device.ts'
import classes from './files.module.css'
import { focusFiles } from './page-files.ts'
import type { TransferProblem } from './use-upload.ts'
import type { useListing } from './use-listing.ts'

interface FilesNoticesProps {
  listing: ReturnType<typeof useListing>
  /** Whether the server is unreachable. */
  isAway: boolean
  /** Reason why the last upload or download was not started. */
  problem: TransferProblem | undefined
  onDismiss: () => void
}

/** Notices above the list: a stale or incomplete list, and a rejected transfer. */
export function FilesNotices({ listing, isAway, problem, onDismiss }: FilesNoticesProps) {
  const { isOnline } = usePageDevice().device
  const hasRows = listing.entries.length > 0
  const isOld = (!isOnline || isAway) && hasRows
  return (
    <>
      {isOld && (
        <p className={classes.old} role="status">
          {(isOnline ? t.awayOld : t.offlineOld)(moment(listing.at))}
        </p>
      )}
      {hasRows && listing.error && !isOld && (
        <p className={classes.old} role="alert">
          {listing.isComplete ? visibleName(problemText(listing.error)) : t.cut}
        </p>
      )}
      {hasRows && listing.isTruncated && (
        <p className={classes.old} role="status">
          {t.truncated}
        </p>
      )}
      {problem && (
        <Alert
          className={classes.problem}
          color="danger"
          title={problem.title}
          icon={<IconAlertCircle size={18} />}
          role="alert"
        >
          {visibleName(problem.text)}
          <CloseButton
            className={classes.dismiss}
            aria-label={en.common.close}
            onClick={() => {
              onDismiss()
              focusFiles()
            }}
          />
        </Alert>
      )}
    </>
  )
}
