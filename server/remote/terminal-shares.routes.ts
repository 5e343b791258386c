import { applianceTerminalShares } from '../../shared/api/appliance-terminal-shares.ts'
import { deviceAccessPath, sharedTerminalView } from '../../shared/device-access.ts'
import { agentUrl } from '../network/addresses.ts'
import { implement } from '../surface/implement.ts'
import { sharedTerminal } from './terminal-guests.ts'
import { changeTerminalShare, listTerminalShares, shareTerminal } from './terminal-shares.ts'

export const applianceTerminalShareRoutes = implement(applianceTerminalShares, {
  list: async (call, { device, params }) => ({ items: await listTerminalShares(call, device, params.terminalId) }),
  async create(call, { device, params, body }) {
    const { share, link } = await shareTerminal(call, device, params.terminalId, body)
    const query = new URLSearchParams({ deviceId: device.id, logonToken: link.token, ...sharedTerminalView })
    return { share, url: `${agentUrl(call.app, call.origin())}${deviceAccessPath}?${query.toString()}` }
  },
  change: (call, { device, params: { terminalId, shareId }, body: { canType } }) =>
    changeTerminalShare(call, device, { terminalId, shareId, canType }),
  own: (call) => sharedTerminal(call),
})
