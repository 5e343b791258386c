import { openAccount, type Account } from './fleet.ts'
import { startBuiltAgent, type RealAgent } from './real-agent.ts'
import { startServer, type ServerProcess } from './server-process.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Server on throw-away data, with the first account and this machine as its device. */
export interface ServedDevice extends AsyncDisposable {
  server: ServerProcess
  account: Account
  device: RealAgent
}

export async function serveDevice(settings: Record<string, string> = {}): Promise<ServedDevice> {
  await using starting = new AsyncDisposableStack()
  const folder = starting.use(await temporaryFolder())
  const server = starting.use(await startServer(folder.path, settings))
  const account = await openAccount(server.url)
  const device = starting.use(await startBuiltAgent(server.url, account))
  const started = starting.move()
  return { server, account, device, [Symbol.asyncDispose]: () => started.disposeAsync() }
}
