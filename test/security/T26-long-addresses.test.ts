/** The address of a connection may have 16 kB: it is read once, not with every call of its client. */
import { expect, test } from 'vitest'
import type { App } from '../../server/call/call.ts'
import type { HubConnection } from '../../server/engines/signalr/index.ts'
import { createViewerLinks, type ViewerLinksOptions } from '../../server/surface/cluster/viewer-links.ts'

test('calls on a connection that another server passed on read its address once', () => {
  let reads = 0
  const request = {
    get url() {
      reads++
      return '/hubs/viewer?id=a.b&x'
    },
  }
  const links = createViewerLinks({
    app: { fleet: { get: () => undefined } } as unknown as App,
    hops: { of: () => ({ from: 'b', address: '192.0.2.1' }) },
    cluster: { id: 'a' },
  } as unknown as ViewerLinksOptions)
  const connection = { caller: { request } } as unknown as HubConnection
  for (let call = 0; call < 100; call++) {
    const message = {
      type: 1,
      invocationId: `${call}`,
      target: 'RefreshDeviceInfo',
      args: ['id'],
      streamIds: [],
    } as const
    expect(links.forward(connection, message)).toBeUndefined()
  }
  expect(reads).toBe(1)
})
