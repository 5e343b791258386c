/**
 * Declarations that must not compile; `npm run check` compiles this file, and a line without an error fails the check.
 */
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Call } from '../../../server/call/call.ts'
import type { Mirrors } from '../../../server/call/mirrors/index.ts'
import type { ServerResources } from '../../../server/surface/authorize.ts'
import { implement } from '../../../server/surface/implement.ts'
import { defineHub, type HubDefinition, type HubHandlers } from '../../../shared/contract/hub.ts'
import { defineRoutes } from '../../../shared/contract/route.ts'

const common = { method: 'GET', path: '/sample', summary: 'Sample.', tenant: 'query', response: z.string() } as const
const routes = defineRoutes('Samples', {
  device: { ...common, access: { permission: 'device.read', on: 'device', at: 'deviceId' } },
  devices: { ...common, access: { scope: 'device.read' } },
  tenant: { ...common, access: { permission: 'tenant.tags.write', on: 'tenant' } },
})
const handlers = {
  device: (_: unknown, input: { device: ServerResources['device'] }) => input.device.name,
  devices: (_: unknown, input: { devices: ServerResources['devices'] }) => String([...input.devices].length),
  tenant: () => '',
}

const hub = defineHub({
  path: '/hubs/sample',
  access: 'authenticated',
  methods: {
    Look: { summary: 'Looks.', access: { permission: 'device.read', on: 'device', at: 0 }, args: [z.string()] },
  },
  client: {},
})
type Handlers = HubHandlers<typeof hub, Call, ServerResources>

test('a handler with the arguments that its access declares compiles', () => {
  const looks: Handlers = { Look: ({ device }) => void device.name }
  expect([implement(routes, handlers), looks]).toBeDefined()
})

test('a handler with an argument that its access does not declare does not compile', () => {
  // @ts-expect-error The access is to the tenant, so there is no device.
  implement(routes, { ...handlers, tenant: handlers.device })
  // @ts-expect-error The access is to one device, so there is no list of them.
  implement(routes, { ...handlers, device: handlers.devices })
  // @ts-expect-error The same for a hub.
  const looks: Handlers = { Look: ({ devices }) => void devices.entries }
  expect(looks).toBeDefined()
})

test('a hub method with an access that needs a tenant does not compile', () => {
  const method = { summary: 'Lists.', args: [], access: { permission: 'tenant.tags.write', on: 'tenant' } } as const
  // @ts-expect-error A hub knows no tenant.
  const methods: HubDefinition['methods'] = { List: method }
  expect(methods).toBeDefined()
})

test('a route for agents does not compile', () => {
  // @ts-expect-error An agent proves itself on its hub connection alone.
  defineRoutes('Samples', { report: { ...common, access: 'agent' } })
})

test('a mirror that follows outside of a commit does not compile', () => {
  const misuse = ({ fleet, accounts }: Mirrors) => [
    // @ts-expect-error Commits do that.
    fleet.follow(new Map()),
    // @ts-expect-error The start does that.
    accounts.load(),
  ]
  expect(misuse).toBeDefined()
})
