import { shell } from 'electron'

/** Opens a web address in the person's browser. Other schemes can start programs, so they go nowhere. */
export function openLink(address: string): void {
  const url = URL.parse(address)
  if (url?.protocol === 'https:' || url?.protocol === 'http:') {
    void shell.openExternal(url.href)
  }
}

/** Whether a page belongs to us: the server's own pages, or the one page that is shown without a server. */
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
