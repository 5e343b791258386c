import type { Session, WebContents, WebPreferences } from 'electron'
import { openLink } from './links.ts'

/** A page gets no Node, no other page's world, and nothing of the machine but what preload.ts exposes. */
export const safePreferences = {
  contextIsolation: true,
  sandbox: true,
  nodeIntegration: false,
  webSecurity: true,
  webviewTag: false,
} as const satisfies WebPreferences

/** What a terminal needs: copy, paste, full screen. Everything else that a page may ask for is refused. */
const grantable: ReadonlySet<string> = new Set(['clipboard-read', 'clipboard-sanitized-write', 'fullscreen'])

/** Refuses every permission but those three, and these to every page but ours. */
export function guardPermissions(session: Session, isOurs: (address: string) => boolean): void {
  const mayHave = (permission: string, address: string | undefined) =>
    address !== undefined && grantable.has(permission) && isOurs(address)
  session.setPermissionRequestHandler((_contents, permission, answer, { requestingUrl, isMainFrame }) =>
    answer(isMainFrame && mayHave(permission, requestingUrl)),
  )
  session.setPermissionCheckHandler(
    (_contents, permission, origin, { isMainFrame }) => isMainFrame && mayHave(permission, origin),
  )
  session.setDevicePermissionHandler(() => false)
}

/**
 * Keeps a window on our pages: links elsewhere open in the browser. A page of ours that is to open in a window of its own is
 * handed to `openPage`; the new window is made here and never by the page, so it is guarded like the first one.
 */
export function guardNavigation(
  contents: WebContents,
  isOurs: (address: string) => boolean,
  openPage: (address: string) => void,
): void {
  const refuse = (event: { url: string; preventDefault(): void }) => {
    if (isOurs(event.url)) {
      return
    }
    event.preventDefault()
    openLink(event.url)
  }
  contents.on('will-navigate', refuse)
  contents.on('will-frame-navigate', (event) => {
    if (!event.isMainFrame && !isOurs(event.url)) {
      event.preventDefault()
    }
  })
  contents.on('will-redirect', (event) => {
    if (!isOurs(event.url)) {
      event.preventDefault()
    }
  })
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(({ url }) => {
    if (isOurs(url)) {
      openPage(url)
    } else {
      openLink(url)
    }
    return { action: 'deny' }
  })
}
