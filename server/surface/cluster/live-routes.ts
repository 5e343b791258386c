import type { IncomingMessage } from 'node:http'
import type { DevicePermission } from '../../../shared/access.ts'
import { applianceTerminalShares } from '../../../shared/api/appliance-terminal-shares.ts'
import type { RouteDefinition } from '../../../shared/contract/route.ts'
import { viewerHub } from '../../../shared/hubs/viewer-hub.ts'
import { sessionOf } from '../../credentials/cookie.ts'
import { decodedSegment } from '../../engines/http/contract/input.ts'
import { parameterNames, PathTable } from '../../engines/http/contract/path-table.ts'
import type { BoundGroup } from '../../engines/http/contract/router.ts'
import { pathOf } from '../../engines/http/web/request.ts'
import type { App, OpenRouteCall } from '../../call/call.ts'

/** Permissions of routes that work on rows, which every server has. */
const ofRows: ReadonlySet<DevicePermission> = new Set([
  'device.alias.write',
  'device.delete',
  'device.logon-token.create',
  'device.overview.read',
  'device.read',
  'device.tags.write',
])

/** Ends of paths below a device whose routes need the server of its agent, whatever their permission. */
const livePath = /\/(absence|consent|desktop-sessions|history|load|power|shares|timeline)$/

const needsAgent = ({ access }: RouteDefinition) =>
  typeof access === 'object' && 'on' in access && access.on === 'device' && !ofRows.has(access.permission)

/** Position of the device in the path of a route. */
const positionOf = ({ path }: RouteDefinition) => parameterNames(path).indexOf('deviceId')

/** Whether a route needs the agent of a device that its body names. */
export const isLiveByBody = (definition: RouteDefinition): boolean =>
  needsAgent(definition) && positionOf(definition) < 0

/** Requests of the guests of shared terminals that need the server of the agent, which has the terminal. */
const guestPaths: ReadonlySet<string> = new Set([
  viewerHub.path,
  `${viewerHub.path}/negotiate`,
  applianceTerminalShares.routes.join.path,
  applianceTerminalShares.routes.type.path,
])

/** The device whose terminal the link of a guest shares; undefined for any other request. */
export function guestDeviceOf(app: App, request: IncomingMessage): string | undefined {
  const grant = guestPaths.has(pathOf(request).toLowerCase()) ? sessionOf(app, request)?.grant : undefined
  return grant && app.terminalShares.find(grant.id)?.deviceId
}

/** Finds the device of a request that only the server of its agent can answer; undefined for any other request. */
export function liveDeviceReader(
  groups: readonly BoundGroup<OpenRouteCall>[],
): (request: IncomingMessage) => string | undefined {
  const table = new PathTable<Map<string, number>>()
  for (const { group } of groups) {
    for (const definition of Object.values(group.routes)) {
      const position = positionOf(definition)
      if (position >= 0 && (needsAgent(definition) || livePath.test(definition.path))) {
        table.at(definition.path, () => new Map<string, number>()).set(definition.method, position)
      }
    }
  }
  return (request) => {
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '')
    for (const { value: positions, segments } of table.find(pathOf(request))) {
      const position = positions.get(method)
      if (position !== undefined) {
        // Decoded as for the route: an encoded id must not keep a request away from the server that tells the device who comes.
        return decodedSegment(segments[position]!)?.toLowerCase()
      }
    }
    return undefined
  }
}
