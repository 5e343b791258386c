import type { Session, WebContents, WebPreferences } from 'electron'
import { openLink } from './links.ts'

/** Isolates pages from Node, from other pages' worlds, and from the machine, except for the functions of preload.ts. */
export const safePreferences = {
  contextIsolation: true,
  sandbox: true,
  nodeIntegration: false,
  webSecurity: true,
  webviewTag: false,
} as const satisfies WebPreferences

/** Permissions that terminals need, and notifications of alerts; all other permissions are denied. */
const grantable: ReadonlySet<string> = new Set([
  'clipboard-read',
  'clipboard-sanitized-write',
  'fullscreen',
  'notifications',
])

/** Denies every permission except those in `grantable`, and these to pages of other origins. */
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
 * Restricts a window to our pages: other links open in the browser. Pages of ours that open a window are passed to
 * `openPage`, which creates a guarded window itself.
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

/** Chromium's result codes for an accepted and a rejected certificate. */
const trusted = 0
const refused = -2

/**
 * Trusts only the server of this process: at its host, any certificate with the key that this process presents, whoever
 * issued it; at other hosts, none.
 */
export function trustOwnServer(
  session: Session,
  serverUrl: () => string | null,
  isOwnCertificate: (pem: string) => Promise<boolean>,
): void {
  session.setCertificateVerifyProc(({ hostname, certificate }, answer) => {
    const url = URL.parse(serverUrl() ?? '')
    const isOurHost = url?.protocol === 'https:' && url.hostname.replace(/^\[|\]$/g, '') === hostname
    const decision = isOurHost ? isOwnCertificate(certificate.data) : Promise.resolve(false)
    decision.then(
      (isOwn) => answer(isOwn ? trusted : refused),
      () => answer(refused),
    )
  })
}
