import { handleHub, hubMethods, type HubServerMethods } from '../../../shared/contract/hub.ts'
import { viewerHub } from '../../../shared/hubs/viewer-hub.ts'
import { hubConnection } from '../../support/hub-client.ts'
import type { Member } from '../../support/server.ts'

/** Viewer connection of another user. */
export async function connectViewerOf({ url, headers }: Member) {
  const connection = hubConnection(`${url}/hubs/viewer`, { headers, isShared: true })
  const toasts: string[] = []
  handleHub(viewerHub, connection, {
    InvokeToast: ({ message }) => void toasts.push(message),
    ReceiveTerminalOutput: () => {},
  })
  await connection.start()
  const hub: HubServerMethods<typeof viewerHub> = hubMethods(viewerHub, connection)
  return { hub, toasts, stop: () => connection.stop() }
}
