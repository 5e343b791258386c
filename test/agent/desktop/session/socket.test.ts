import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { WebSocketServer, type WebSocket } from 'ws'
import { systemClock } from '../../../../agent/base/clock.ts'
import { openSocket } from '../../../../agent/desktop/session/socket.ts'
import { documentOf, leafOf, newAuthority, startIdentityServer, trustIn } from '../../../support/identity-server.ts'
import { steady } from '../../../support/until.ts'

const never = new AbortController().signal
const addressOf = (server: { address: () => unknown }) => ({
  websocketUri: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/relay`,
  server: null,
})

describe('openSocket', () => {
  test.each([
    [408, 'the viewer did not connect'],
    [401, 'the server answered 401'],
  ])('a server that answers %s fails with the reason', async (status, reason) => {
    const server = createServer()
    server.on('upgrade', (_, socket) => socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    await expect(openSocket(addressOf(server), systemClock, never)).rejects.toThrow(reason)
    server.close()
  })

  test('stops waiting when it is canceled, and closes its connection to the server', async () => {
    const server = createServer()
    const upgraded = once(server, 'upgrade')
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const giveUp = new AbortController()
    const opening = openSocket(addressOf(server), systemClock, giveUp.signal)
    const [, socket] = (await upgraded) as [unknown, NodeJS.ReadWriteStream]
    const closed = once(socket, 'end')
    giveUp.abort()
    await expect(opening).rejects.toThrow('closed before the connection was established')
    socket.resume()
    await closed
    server.close()
  })

  test('a message that arrives with the response of the server is not lost', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    server.on('connection', (socket) => socket.send(Buffer.from('early')))
    await once(server, 'listening')
    const socket = await openSocket(addressOf(server), systemClock, never)
    await steady(() => [...server.clients][0]?.bufferedAmount, 5)
    const received = await new Promise<Uint8Array>((resolve) => socket.start(resolve, () => {}))
    expect(Buffer.from(received).toString()).toBe('early')
    socket.close(true)
    server.close()
  })

  test('a connection without answers is dropped', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', autoPong: false })
    await once(server, 'listening')
    let tick = () => {}
    const clock = {
      ...systemClock,
      every: (_: number, run: () => void) => {
        tick = run
        return () => {}
      },
    }
    const accepted = once(server, 'connection')
    const socket = await openSocket(addressOf(server), clock, never)
    const [peer] = (await accepted) as [WebSocket]
    const reasons: string[] = []
    const closed = new Promise<void>((resolve) => {
      socket.start(
        () => {},
        (reason) => {
          reasons.push(reason)
          resolve()
        },
      )
    })
    for (let round = 0; round < 5; round++) {
      const pinged = once(peer, 'ping')
      tick()
      const [payload] = (await pinged) as [Buffer]
      peer.pong(payload)
      await steady(() => reasons.length, 2)
    }
    expect(reasons).toEqual([])
    tick()
    tick()
    tick()
    await closed
    expect(reasons).toEqual(['The connection was lost.'])
    server.close()
  })

  test('a relay outside of the trusted server gets neither the session nor its token', async () => {
    const [authority, stranger] = [await newAuthority(), await newAuthority()]
    const shown = await leafOf(stranger)
    const standIn = await startIdentityServer(shown, documentOf(stranger, shown))
    const websocketUri = `${standIn.url.replace('https', 'wss')}/relay?accessToken=secret`
    const server = trustIn(authority)
    await expect(openSocket({ websocketUri, server }, systemClock, never)).rejects.toThrow('Another server answers')
    expect(standIn.requests.join()).not.toContain('secret')
  })

  test('a relay of the trusted server is reached, whatever its name', async () => {
    const authority = await newAuthority()
    const relay = await startIdentityServer(await leafOf(authority), undefined)
    const websocketUri = `wss://localhost:${relay.port}/relay?accessToken=secret`
    const opening = openSocket({ websocketUri, server: trustIn(authority) }, systemClock, never)
    await expect(opening).rejects.toThrow('the server answered 426')
    expect(relay.upgrades).toEqual(['/relay?accessToken=secret'])
  })
})
