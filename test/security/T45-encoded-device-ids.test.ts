/** The server that holds a device tells the person there who reads its files, however its id is written. */
import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { api } from '../../shared/api/index.ts'
import type { BoundGroup } from '../../server/engines/http/contract/router.ts'
import type { OpenRouteCall } from '../../server/call/call.ts'
import { liveDeviceReader } from '../../server/surface/cluster/live-routes.ts'

const id = '0b5f9c1e-8d2a-4c3b-9e7f-1a2b3c4d5e6f'
const encoded = id.replaceAll(/./g, (character) => `%${character.charCodeAt(0).toString(16)}`)

test('a request about the files of a device goes to the server of its agent, also with an encoded id', () => {
  const groups = [...Object.values(api.v1), ...Object.values(api.appliance)].map((group) => ({ group, handlers: {} }))
  const deviceOf = liveDeviceReader(groups as unknown as BoundGroup<OpenRouteCall>[])
  const { path, method } = api.v1.deviceFileSystem.routes.download
  for (const written of [id, id.toUpperCase(), encoded, encoded.toUpperCase()]) {
    const url = path.replace(/:\w+/, written)
    expect([written, deviceOf({ method, url } as IncomingMessage)]).toEqual([written, id])
  }
  expect(deviceOf({ method, url: path.replace(/:\w+/, '%zz') } as IncomingMessage)).toBeUndefined()
})
