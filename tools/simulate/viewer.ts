import { HubConnectionBuilder, LogLevel, type HubConnection } from '@microsoft/signalr'
import { handleHub, hubMethods, type HubClientHandlers } from '../../shared/contract/hub.ts'
import { viewerHub } from '../../shared/hubs/viewer-hub.ts'

/** Connects the official client to the viewer hub, as a browser with this cookie would. */
export async function connectViewer(
  url: string,
  cookie: string,
  handlers: Partial<HubClientHandlers<typeof viewerHub>> = {},
): Promise<{ connection: HubConnection; viewer: ReturnType<typeof hubMethods<typeof viewerHub>> }> {
  const connection = new HubConnectionBuilder()
    .withUrl(url + viewerHub.path, { headers: { cookie, origin: url } })
    .configureLogging(LogLevel.Error)
    .build()
  handleHub(viewerHub, connection, handlers)
  await connection.start()
  return { connection, viewer: hubMethods(viewerHub, connection) }
}
