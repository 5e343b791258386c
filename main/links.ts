import { shell } from 'electron'

/** Opens a web address in the default browser. Ignores other schemes, which can start programs. */
export function openLink(address: string): void {
  const url = URL.parse(address)
  if (url?.protocol === 'https:' || url?.protocol === 'http:') {
    void shell.openExternal(url.href)
  }
}

/** Whether a page is ours: a page of the server, or the status page shown without a server. */
export function isOurs(address: string, serverUrl: string | null, statusPage: string): boolean {
  const url = URL.parse(address)
  if (!url) {
    return false
  }
  if (serverUrl !== null && url.origin === new URL(serverUrl).origin) {
    return true
  }
  return url.protocol === 'file:' && `${url.protocol}//${url.host}${url.pathname}` === statusPage
}
