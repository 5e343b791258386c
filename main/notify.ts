import { Notification } from 'electron'

/** Shows a notification of the system, where it has any; a click calls `onClick`. */
export function notify(title: string, body: string, onClick: () => void): void {
  if (Notification.isSupported()) {
    const notification = new Notification({ title, body })
    notification.on('click', onClick)
    notification.show()
  }
}
