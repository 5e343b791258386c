import { once } from 'node:events'
import { get, request as httpRequest, ServerResponse, type IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { ask, clock, handshake, newToken, nextRequest, plain, start, url } from './http-harness.ts'
import { steady, until } from '../support/until.ts'

describe('Server-Sent Events', () => {
  async function openStream(id: string) {
    const request = get(url(`?id=${id}`), { headers: { accept: 'text/event-stream' }, agent: false })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    let text = ''
    response.on('data', (chunk) => (text += chunk)).on('error', () => {})
    return { request, response, text: () => text }
  }

  test('an event stream has the right headers, carries messages, and ends when the client sends Close', async () => {
    await start()
    const id = await newToken()
    const { response, text } = await openStream(id)
    expect([response.statusCode, response.headers]).toEqual([
      200,
      expect.objectContaining({
        'content-type': 'text/event-stream',
        'cache-control': 'no-cache,no-store',
        pragma: 'no-cache',
        'content-encoding': 'identity',
      }),
    ])
    expect((await openStream(id)).response.statusCode).toBe(409)
    expect(await ask('POST', `?id=${id}`, { body: handshake })).toEqual(plain(200))
    await ask('POST', `?id=${id}`, { body: '{"type":1,"invocationId":"1","target":"Echo","arguments":["a\\nb"]}\x1e' })
    await clock.advance(16_000)
    await ask('POST', `?id=${id}`, { body: '{"type":7}\x1e' })
    await until(() => response.complete)
    expect(text()).toBe(
      ':\r\n' +
        ['{}', '{"type":3,"invocationId":"1","result":"a\\nb"}', '{"type":6}', '{"type":7}']
          .map((message) => `data: ${message}\x1e\r\n\r\n`)
          .join(''),
    )
    expect(await ask('POST', `?id=${id}`)).toEqual(plain(404, 'No Connection with that ID'))
  })

  test('a request whose client has already disconnected opens no stream', async () => {
    const { endpoint } = await start()
    const id = await newToken()
    const gone = { method: 'GET', url: `/hub?id=${id}`, headers: { accept: 'text/event-stream' } } as IncomingMessage
    const response = new ServerResponse(gone)
    response.destroy()
    endpoint.handleRequest(gone, response, { principal: undefined, userId: undefined, remoteAddress: '' })
    expect((await openStream(id)).response.statusCode).toBe(200)
  })

  test('a response closed by the client ends the connection', async () => {
    const { hub } = await start()
    const id = await newToken()
    const { request, text } = await openStream(id)
    await ask('POST', `?id=${id}`, { body: handshake })
    await until(() => text().includes('{}'))
    request.destroy()
    await until(() => hub.events.length === 2)
    expect([hub.events, await ask('POST', `?id=${id}`)]).toEqual([
      ['connected', 'disconnected'],
      plain(404, 'No Connection with that ID'),
    ])
  })
})

describe('POST', () => {
  test('a POST before the first GET is kept until a transport is attached', async () => {
    await start()
    const id = await newToken()
    expect(await ask('POST', `?id=${id}`, { body: handshake })).toEqual(plain(200))
    await ask('GET', `?id=${id}`)
    expect((await ask('GET', `?id=${id}`)).body).toBe('{}\x1e')
  })

  test('POST bodies are read one at a time and wait while the hub is busy', async () => {
    const running = await start()
    const { hub } = running
    const id = await newToken()
    await ask('GET', `?id=${id}`)
    await ask('POST', `?id=${id}`, { body: `${handshake}{"type":1,"target":"Wait","arguments":[]}\x1e` })
    const note = (text: string) => `{"type":1,"target":"Note","arguments":["${text}"]}\x1e`
    let isDone = false
    const firstArrived = nextRequest()
    const first = ask('POST', `?id=${id}`, { body: note('x'.repeat(1_000)).repeat(400) }).then(() => (isDone = true))
    await firstArrived
    const secondArrived = nextRequest()
    const second = ask('POST', `?id=${id}`, { body: note('second') })
    await secondArrived
    await steady(() => running.bytesRead)
    expect([isDone, hub.events.length]).toEqual([false, 1])
    hub.release('go')
    await Promise.all([first, second])
    await until(() => hub.events.length === 402)
    expect(hub.events.at(-1)).toBe('note second')
  })

  test('a waiting POST is answered 404 when its connection ends', async () => {
    const running = await start()
    const { hub, server } = running
    const id = await newToken()
    await ask('GET', `?id=${id}`)
    await ask('POST', `?id=${id}`, { body: `${handshake}{"type":1,"target":"Wait","arguments":[]}\x1e` })
    const arrived = nextRequest()
    const waiting = ask('POST', `?id=${id}`, { body: '{"type":1,"target":"Void","arguments":[]}\x1e'.repeat(5_000) })
    await arrived
    await steady(() => running.bytesRead)
    for (const connection of server.connections) {
      connection.abort()
    }
    expect([await waiting, hub.events]).toEqual([plain(404), ['connected', 'disconnected']])
  })

  test('a POST that breaks off after part of its body ends its connection', async () => {
    const { hub } = await start()
    const id = await newToken()
    await ask('GET', `?id=${id}`)
    await ask('POST', `?id=${id}`, { body: handshake })
    const request = httpRequest(url(`?id=${id}`), { method: 'POST', headers: { 'content-length': 1_000 } })
    request.on('error', () => {})
    const arrived = nextRequest()
    request.write('{"type":1,"target":"No')
    await arrived
    request.destroy()
    await until(() => hub.events.length === 2)
    expect(hub.events).toEqual(['connected', 'disconnected: Connection terminated while reading a message.'])
  })
})

describe('long polling', () => {
  const octets = 'application/octet-stream'
  async function connected() {
    const hub = await start()
    const id = await newToken()
    const first = await fetch(url(`?id=${id}`))
    const post = (body: string) => ask('POST', `?id=${id}`, { body })
    const poll = (init: RequestInit = {}) => ask('GET', `?id=${id}&_=1`, init)
    await post(handshake)
    expect(await poll()).toEqual({ status: 200, type: octets, body: '{}\x1e' })
    return { ...hub, id, first, post, poll }
  }
  /** Sends a poll, and resolves once the server has it. */
  const waitingPoll = async (send: () => ReturnType<typeof ask>) => {
    const arrived = nextRequest()
    const answer = send()
    const [, response] = await arrived
    return { answer, response }
  }

  test('the first poll is answered at once and forbids caching', async () => {
    const { first } = await connected()
    expect([first.status, first.headers.get('content-type'), await first.text()]).toEqual([200, octets, ''])
    for (const response of [first, await fetch(url('?id=x'))]) {
      expect(['cache-control', 'pragma', 'expires'].map((name) => response.headers.get(name))).toEqual([
        'no-cache, no-store',
        'no-cache',
        'Thu, 01 Jan 1970 00:00:00 GMT',
      ])
    }
  })

  test('a poll waits for output and returns everything that is queued', async () => {
    const { poll, post } = await connected()
    const { answer } = await waitingPoll(poll)
    await post('{"type":4,"invocationId":"1","target":"CountTo","arguments":[2]}\x1e')
    expect(await answer).toEqual({
      status: 200,
      type: octets,
      body: '{"type":2,"invocationId":"1","item":0}\x1e{"type":2,"invocationId":"1","item":1}\x1e{"type":3,"invocationId":"1"}\x1e',
    })
  })

  test('a poll without output for 90 s gets an empty answer', async () => {
    const { poll } = await connected()
    const { answer } = await waitingPoll(poll)
    await clock.advance(91_000)
    expect(await answer).toEqual(plain(200))
  })

  test('a second poll replaces the first, which is answered 204', async () => {
    const { poll, post } = await connected()
    const { answer: older } = await waitingPoll(poll)
    const { answer: newer } = await waitingPoll(poll)
    await post('{"type":1,"invocationId":"1","target":"Echo","arguments":[1]}\x1e')
    expect([(await older).status, (await newer).body]).toEqual([204, '{"type":3,"invocationId":"1","result":1}\x1e'])
  })

  test('unsent output waits for the next poll when the client aborts a poll', async () => {
    const { poll, post } = await connected()
    const abort = new AbortController()
    const { answer, response } = await waitingPoll(() => poll({ signal: abort.signal }))
    const isSeen = once(response, 'close')
    abort.abort()
    await expect(answer).rejects.toThrow('abort')
    await isSeen
    await post('{"type":1,"invocationId":"1","target":"Echo","arguments":[1]}\x1e')
    expect((await poll()).body).toBe('{"type":3,"invocationId":"1","result":1}\x1e')
  })

  test('after the end, polls get the remaining output, then 204, then 404', async () => {
    const { poll, post, hub } = await connected()
    await post('{"type":7}\x1e')
    expect([await poll(), (await poll()).status, (await poll()).status]).toEqual([
      { status: 200, type: octets, body: '{"type":7}\x1e' },
      204,
      404,
    ])
    expect(hub.events).toEqual(['connected', 'disconnected'])
  })

  test('DELETE ends the connection: the waiting poll gets 204, later requests 404', async () => {
    const { poll, id, hub } = await connected()
    const { answer } = await waitingPoll(poll)
    expect(await ask('DELETE', `?id=${id}`)).toEqual(plain(202))
    expect([(await answer).status, (await poll()).status, (await ask('DELETE', `?id=${id}`)).status]).toEqual([
      204, 404, 404,
    ])
    expect(hub.events).toEqual(['connected', 'disconnected'])
  })

  test('a server shuts down: the open poll gets the Close message; a client between two polls delays nothing', async () => {
    const polling = await connected()
    const { answer } = await waitingPoll(polling.poll)
    const between = await newToken()
    await ask('GET', `?id=${between}`)
    await ask('POST', `?id=${between}`, { body: handshake })
    expect((await ask('GET', `?id=${between}`)).body).toBe('{}\x1e')
    await until(() => polling.hub.events.length === 2)
    // The clock of the hub stands still: a shutdown that waited for its time limit would not end.
    const closed = polling.server.close()
    expect(await answer).toEqual({ status: 200, type: octets, body: '{"type":7,"allowReconnect":true}\x1e' })
    expect((await polling.poll()).status).toBe(204)
    await closed
    expect(polling.hub.events).toEqual(['connected', 'connected', 'disconnected', 'disconnected'])
  })

  test('a connection without a poll for 15 s ends', async () => {
    const { poll, hub } = await connected()
    await clock.advance(14_000)
    expect(hub.events).toEqual(['connected'])
    await clock.advance(2_000)
    expect([hub.events, (await poll()).status]).toEqual([['connected', 'disconnected'], 404])
  })

  test('a request of another user finds no connection and changes nothing', async () => {
    const { id, server, poll, post } = await connected()
    const foreign = `?id=${id}&user=other`
    for (const method of ['GET', 'POST', 'DELETE']) {
      expect(await ask(method, foreign)).toEqual(plain(404, 'No Connection with that ID'))
    }
    await post('{"type":1,"invocationId":"1","target":"Echo","arguments":[1]}\x1e')
    expect((await poll()).body).toBe('{"type":3,"invocationId":"1","result":1}\x1e')
    expect([...server.connections].map(({ caller }) => caller.userId)).toEqual([undefined])
  })
})
