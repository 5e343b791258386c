import { dialog, type BrowserWindow } from 'electron'
import type { Log } from '../server/app.ts'

/** Most reloads in this time: a page that always crashes must not reload for ever. */
const mostReloads = 3
const inMs = 60_000

/**
 * Reloads the page of a window after a crash, and asks when it does not answer. The server runs in another process than
 * the page and keeps running.
 */
export function repairPages(window: BrowserWindow, log: Log, reload: () => void): void {
  let reloads: number[] = []
  const reloadOnce = () => {
    const now = Date.now()
    reloads = reloads.filter((at) => now - at < inMs)
    if (reloads.length < mostReloads) {
      reloads.push(now)
      reload()
    }
  }
  window.webContents.on('render-process-gone', (_event, { reason, exitCode }) => {
    if (reason !== 'clean-exit') {
      log.error({ reason, exitCode }, 'The page of the window crashed and is loaded again.')
      reloadOnce()
    }
  })
  let isAsked = false
  window.on('unresponsive', () => {
    log.warn({}, 'The page of the window does not answer.')
    const crash = () => window.webContents.forcefullyCrashRenderer()
    // A question of a hidden window would wait unseen.
    if (!window.isVisible()) {
      crash()
      return
    }
    if (isAsked) {
      return
    }
    isAsked = true
    const asked = {
      type: 'warning' as const,
      message: 'This page does not answer.',
      detail: 'The server is still running. Load the page again, or wait.',
      buttons: ['Wait', 'Load Again'],
      defaultId: 0,
      cancelId: 0,
    }
    void dialog.showMessageBox(window, asked).then(({ response }) => {
      isAsked = false
      if (response === 1) {
        crash()
      }
    })
  })
}
