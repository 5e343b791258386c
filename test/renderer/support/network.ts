import type { Page, WebSocketRoute } from '@playwright/test'

/**
 * Lets a test cut the server off from a page without a close handshake, as a pulled cable does. Call first, on a page of
 * `freshPageTest`: routes of WebSockets cannot be removed.
 */
export async function cuttableNetwork(page: Page) {
  let isCut = false
  const sockets = new Set<WebSocketRoute>()
  await page.routeWebSocket(/\/hubs\//, (socket) => {
    socket.connectToServer()
    sockets.add(socket)
  })
  await page.route(/\/(api|hubs)\//, (route) => (isCut ? route.abort() : route.fallback()))
  return {
    cut() {
      isCut = true
      sockets.forEach((socket) => void socket.close({ code: 3000 }))
      sockets.clear()
    },
    mend: () => void (isCut = false),
  }
}
