import type { Notice } from '../../desktop/desktop.ts'
import { quoted, type Bus } from './bus.ts'

const notifications = {
  name: 'org.freedesktop.Notifications',
  path: '/org/freedesktop/Notifications',
  interface: 'org.freedesktop.Notifications',
}

/**
 * Shows a notification of the desktop that stays until dismissed: Wayland lets no program put a window on top of
 * others. The title is plain text, unlike the body.
 */
export function showNotification(bus: Bus, text: string, label: string, onEnd: () => void): Notice {
  let id: unknown
  let isClosed = false
  const stop = bus.listen(notifications, 'ActionInvoked', ([invoked, action]) => {
    if (invoked === id && action === 'end') {
      onEnd()
    }
  })
  const remove = () => {
    if (typeof id === 'number') {
      bus.send(notifications, 'CloseNotification', { types: '(u)', text: `(${id},)` })
    }
  }
  const hints = `{'urgency': <byte 2>, 'resident': <true>}`
  const content = `("Farhand", 0, "", ${quoted(text)}, "", ["end", ${quoted(label)}], ${hints}, 0)`
  void bus.call(notifications, 'Notify', { types: '(susssasa{sv}i)', text: content }).then(
    ({ values }) => {
      id = values[0]
      if (isClosed) {
        remove()
      }
    },
    // A desktop without notifications shows its own sign of sharing, if any.
    () => undefined,
  )
  return {
    close() {
      isClosed = true
      stop()
      remove()
    },
  }
}
