import { execFile } from 'node:child_process'
import { system } from './system.ts'

/** Timeout of the question to the desktop. */
const askMs = 2_000

const question = [
  '--session',
  '--dest=org.freedesktop.DBus',
  '--print-reply',
  '/org/freedesktop/DBus',
  'org.freedesktop.DBus.NameHasOwner',
  'string:org.kde.StatusNotifierWatcher',
]

/**
 * Whether this desktop shows tray icons. On Linux some do not, such as GNOME without an extension: a window that hides
 * there cannot be found again.
 */
export function hasTray(): Promise<boolean> {
  if (!system.mayLackTray) {
    return Promise.resolve(true)
  }
  return new Promise((resolve) =>
    execFile('dbus-send', question, { timeout: askMs }, (error, output) => resolve(!error && output.includes('true'))),
  )
}
