/** A client that claims to be another server of the cluster is not served as one: a terminal would lack its recording (T50). */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { randomBytes } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { viewerHub } from '../../shared/hubs/viewer-hub.ts'
import { canJoin, joinedForFile } from '../support/joined-servers.ts'

const signature = randomBytes(32).toString('base64url')

describe.runIf(canJoin)('a forged hop', () => {
  const joined = joinedForFile()

  test.for(['forged', `${Date.now()} 000000000000 ${signature} 203.0.113.9`, ''])(
    '“%s” gets 503, with a request and with a hub connection of a signed-in person',
    async (hop) => {
      const { ownerAtTwo, two } = joined
      const headers = { 'x-farhand-hop': hop }
      expect((await ownerAtTwo.fetch('/api/v1/devices')).status).toBe(200)
      const { status, headers: answered } = await ownerAtTwo.fetch('/api/v1/devices', { headers })
      expect([status, answered.get('retry-after')]).toEqual([503, '2'])
      const socket = new WebSocket(new URL(viewerHub.path, two.url.replace(/^http/, 'ws')), {
        headers: { ...headers, cookie: ownerAtTwo.cookie! },
      })
      socket.on('error', () => {})
      onTestFinished(() => socket.terminate())
      const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage]
      expect(response.statusCode).toBe(503)
    },
  )
})
