import { once } from 'node:events'
import { createServer, request as requestTo } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { incomingForm } from '../../server/engines/http/contract/multipart.ts'
import { useTestServer } from '../support/server.ts'
import { within } from '../support/until.ts'

const uploads = '/api/appliance/v1/first-run/uploads'
const headers = { 'content-type': 'multipart/form-data; boundary=x' }
const field = '--x\r\nContent-Disposition: form-data; name="setupCode"\r\n\r\n'

test('a form is rejected once its fields cost too many steps, and before it is read by a server with accounts', async () => {
  const server = await useTestServer()
  const send = (chunks: readonly string[]) => {
    const body = Readable.from([field, ...chunks, '\r\n--x--\r\n'].map((chunk) => Buffer.from(chunk)))
    const options = { method: 'POST', headers, body, duplex: 'half' } as unknown as RequestInit
    return fetch(server.url + uploads, options)
  }
  const tooLong = 'The form is not readable: its fields are too long.'
  for (const [chunks, problem] of [
    [Array.from({ length: 10_000 }, () => 'x'), tooLong],
    [['x'.repeat(30_000), '\r\n'.repeat(30_000)], tooLong],
    [['x'.repeat(60_000)], 'file is required'],
  ] as const) {
    const answer = await send(chunks)
    expect([answer.status, JSON.stringify(await answer.json())]).toEqual([400, expect.stringContaining(problem)])
  }
  await server.owner()
  const { hostname, port, host } = new URL(server.url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  const head = Object.entries({ host, ...headers, 'content-length': '1000000' }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  socket.write(`POST ${uploads} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${field}`)
  const [answer] = (await within(5_000, once(socket, 'data'))) as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1.1 404 /)
})

test('a form whose content type names two boundaries is refused', async () => {
  const server = await useTestServer()
  for (const type of ['multipart/form-data; xboundary=z; boundary=a', 'multipart/form-data; boundary=a; boundary=z']) {
    const answer = await fetch(server.url + uploads, {
      method: 'POST',
      headers: { 'content-type': type },
      body: '--a--',
    })
    expect([answer.status, JSON.stringify(await answer.json())]).toEqual([
      400,
      expect.stringContaining('multipart/form-data'),
    ])
  }
})

test('the file of a form is read whole in many small chunks, also where it is read slowly', async () => {
  const received = Promise.withResolvers<number>()
  const server = createServer((request, response) => {
    const read = async () => {
      const form = await incomingForm(request, response, z.object({ file: z.any() })).open({ maxBytes: 100_000_000 })
      let bytes = 0
      for await (const piece of form.bytes) {
        bytes += (piece as Buffer).length
        await setImmediate()
      }
      response.end()
      return bytes
    }
    read().then(received.resolve, received.reject)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const request = requestTo({ port, method: 'POST', headers })
  const head = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
  const chunks = Array.from({ length: 20_000 }, () => 'x'.repeat(1_000))
  await pipeline(Readable.from([head, ...chunks, '\r\n--x--\r\n']), request)
  expect(await received.promise).toBe(20_000_000)
})
