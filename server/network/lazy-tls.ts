import { hostname } from 'node:os'
import type { App } from '../call/call.ts'
import { ServerTls } from '../engines/tls/server-tls.ts'
import type { Config } from '../settings/config.ts'
import { identityStore } from './identity-store.ts'

/** Names of this machine, for its certificate. */
function machineNamesOf({ branding: { publicUrl } }: Config): string[] {
  const machine = hostname()
  return [
    ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname]),
    machine,
    `${machine}.local`,
    'localhost',
    '127.0.0.1',
    '::1',
  ]
}

/** The TLS identity of this server, opened on first use: most servers on loopback never need it. */
export function lazyTls(
  app: Pick<App, 'config' | 'clock' | 'log' | 'database' | 'models' | 'sealer'>,
  onStop: (stop: () => Promise<void>) => void,
) {
  const open = async () => {
    const { clock, log, config } = app
    const tls = await ServerTls.open({ clock, log, store: identityStore(app), names: machineNamesOf(config) })
    onStop(() => tls.close())
    const { certificatePath, keyPath, certificatePassword: password } = config.tls
    if (certificatePath !== undefined) {
      await tls.useCustom({ certificatePath, keyPath, password })
    }
    return tls
  }
  let opening: Promise<ServerTls> | undefined
  return () => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return opening
  }
}
