import { Alert, CloseButton } from '@mantine/core'
import { IconAlertCircle } from '@tabler/icons-react'
import { problemText } from '../../components/problem-alert.tsx'
import * as t from '../../texts.ts'
import { moment } from '../../text/format.ts'
import { visibleName } from '../../text/visible-name.ts'
import { usePageDevice } from '../../hooks/use-page-device.ts'
import classes from './files.module.css'
import { focusFiles } from './page-files.ts'
import type { TransferProblem } from './use-upload.ts'
import type { Listing } from './use-listing.ts'

interface FilesNoticesProps {
  listing: Listing
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
          {(isOnline ? t.files.awayOld : t.files.offlineOld)(moment(listing.at))}
        </p>
      )}
      {hasRows && listing.error && !isOld && (
        <p className={classes.old} role="alert">
          {listing.isComplete ? visibleName(problemText(listing.error)) : t.files.cut}
        </p>
      )}
      {hasRows && listing.isTruncated && (
        <p className={classes.old} role="status">
          {t.files.truncated}
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
            aria-label={t.common.close}
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
