import { Notifications } from '@mantine/notifications'
import classes from './toasts.module.css'

/** Place of toasts: over the lower right corner of the page, above what stands below the page. */
export const Toasts = () => (
  <div className={classes.place}>
    <Notifications position="bottom-right" withinPortal={false} zIndex={150} className={classes.toasts!} />
  </div>
)
