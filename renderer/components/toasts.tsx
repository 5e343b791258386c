import { Notifications, notifications } from '@mantine/notifications'
import { signedOut } from '../api/sign-out.ts'
import classes from './toasts.module.css'

// Messages name devices and people of the organization, and their buttons act.
signedOut.on(() => notifications.clean())

/** Place of toasts: over the lower right corner of the page, above what stands below the page. */
export const Toasts = () => (
  <div className={classes.place}>
    <Notifications position="bottom-right" withinPortal={false} zIndex={150} className={classes.toasts!} />
  </div>
)
