import { app } from 'electron'
import { appImage } from './config.ts'
import { isOnTrial } from './desktop-update.ts'
import type { SettingsStore } from './settings.ts'

/** Most restarts after a crash in this time: a crash at every start must not go round for ever. */
const mostRestarts = 3
const inMs = 10 * 60_000

/**
 * Ends the process after a crash and starts it again, unless it crashed too often: then it stays away until somebody
 * starts it, and the page of that start shows the reason.
 */
export function relaunchAfterCrash(settings: SettingsStore, now = Date.now()): void {
  const recent = settings.read().crashes.filter((at) => at <= now && now - at < inMs)
  // A keeper goes back to the previous version, and starts it.
  if (recent.length < mostRestarts && !isOnTrial()) {
    // An AppImage runs from a mount that ends with the process.
    app.relaunch({ execPath: appImage() ?? process.execPath })
  }
  settings.write({ crashes: [...recent, now].slice(-mostRestarts) })
  app.exit(1)
}
