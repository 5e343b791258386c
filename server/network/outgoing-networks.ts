import type { App } from '../call/call.ts'

/** Networks for `sendOut`: those that the owner opened, and those that this machine is in. */
export const outgoingNetworks = ({ config, readInterfaces }: App) => ({
  allowed: config.appOptions.outgoingNetworks,
  own: Object.values(readInterfaces()).flatMap((infos = []) => infos.flatMap(({ cidr }) => cidr ?? [])),
})
