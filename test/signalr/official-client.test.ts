import {
  HttpTransportType,
  HubConnectionBuilder,
  JsonHubProtocol,
  LogLevel,
  Subject,
  type HubConnection,
} from '@microsoft/signalr'
import { MessagePackHubProtocol } from '@microsoft/signalr-protocol-msgpack'
import { afterEach, describe, expect, test } from 'vitest'
import { isNight, runs } from '../support/night.ts'
import { collectingLog, startTestHub, type RunningTestHub } from '../support/test-hub.ts'

/** The definition of "compatible": the official client against this engine, over real sockets. */

const log = collectingLog()
const clients: HubConnection[] = []
let running: RunningTestHub | undefined

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.stop()))
  await running?.stop()
  running = undefined
  const lines = log.lines.splice(0)
  if (lines.length > 0) {
    throw new Error(`The engine has logged errors: ${lines.join(', ')}`)
  }
})

const { WebSockets, ServerSentEvents, LongPolling } = HttpTransportType
const combinations = [
  ['WebSockets', 'json', WebSockets],
  ['WebSockets', 'messagepack', WebSockets],
  ['ServerSentEvents', 'json', ServerSentEvents],
  ['LongPolling', 'json', LongPolling],
  ['LongPolling', 'messagepack', LongPolling],
] as const

/** By day without the one whose transport and protocol are each in another. */
const tried = combinations.filter(
  ([transport, protocol]) => isNight || transport !== 'LongPolling' || protocol === 'json',
)

describe.each(tried)('over %s in %s', (transportName, protocolName, transport) => {
  /** Whether many and large messages are tried: by day with each transport once. */
  const isBusy = isNight || protocolName === 'json'

  function build(query = '', skipNegotiation = false) {
    const client = new HubConnectionBuilder()
      .withUrl(`${running?.url}${query}`, { transport, skipNegotiation })
      .withHubProtocol(protocolName === 'json' ? new JsonHubProtocol() : new MessagePackHubProtocol())
      .withAutomaticReconnect([0, 10, 100])
      .configureLogging(LogLevel.None)
      .build()
    clients.push(client)
    return client
  }

  async function start(query = '') {
    running ??= await startTestHub({ log })
    const client = build(query)
    await client.start()
    return client
  }

  const failure = (promise: Promise<unknown>) =>
    promise.then(
      () => 'no failure',
      (error: Error) => error.message,
    )

  const collect = (client: HubConnection, target: string, ...args: unknown[]) =>
    new Promise<unknown[]>((resolve) => {
      const items: unknown[] = []
      client.stream(target, ...args).subscribe({
        next: (item) => items.push(item),
        complete: () => resolve(items),
        error: (error) => resolve([...items, error.message]),
      })
    })

  test('an invocation returns the result of the method', async () => {
    const client = await start('?user=alice')
    expect(await client.invoke('WhoAmI')).toEqual([client.connectionId, transportName, protocolName])
    expect(await client.invoke('User')).toBe('alice')
    const value = { text: 'é \u{1F600} \x1e', numbers: [1, -1, 1.5, 2 ** 40], nothing: null, nested: { yes: true } }
    expect(await client.invoke('echo', value)).toEqual(value)
    expect(await client.invoke('Void')).toBeNull()
    expect(await Promise.all([1, 2, 3, 4, 5].map((n) => client.invoke('EchoLater', n)))).toEqual([1, 2, 3, 4, 5])
  })

  test('a large message is echoed unchanged', async () => {
    running = await startTestHub({ log, options: { maxReceiveMessageBytes: 2_000_000 } })
    const client = await start()
    const text = 'xé'.repeat(300_000)
    expect(await client.invoke('Echo', text)).toBe(text)
  })

  test.runIf(isBusy)('five large invocations in one tick are answered', async () => {
    running = await startTestHub({ log, options: { maxReceiveMessageBytes: 2_000_000 } })
    const client = await start()
    const texts = [1, 2, 3, 4, 5].map((n) => String(n).repeat(900_000))
    expect(await Promise.all(texts.map((text) => client.invoke('Echo', text)))).toEqual(texts)
  })

  test.runIf(isBusy)('thousands of small invocations in one tick are answered', { timeout: 60_000 }, async () => {
    const client = await start()
    const numbers = Array.from({ length: runs(3_000) }, (_, n) => n)
    expect(await Promise.all(numbers.map((n) => client.invoke('Echo', n)))).toEqual(numbers)
  })

  test('a failed invocation rejects with the error of the server', async () => {
    const client = await start()
    expect(await failure(client.invoke('Fail', 'text'))).toBe(
      "An unexpected error occurred invoking 'Fail' on the server. HubException: text",
    )
    expect(await failure(client.invoke('Nope'))).toBe(
      "Failed to invoke 'Nope' due to an error on the server. HubException: Method does not exist.",
    )
    expect(await failure(client.invoke('Echo'))).toBe("Failed to invoke 'Echo' due to an error on the server.")
    expect(await failure(client.invoke('Forbidden'))).toBe("Failed to invoke 'Forbidden' because user is unauthorized")
  })

  test('a server stream delivers its items and then completes or fails', async () => {
    const client = await start()
    expect(await collect(client, 'CountTo', 5)).toEqual([0, 1, 2, 3, 4])
    expect(await collect(client, 'FailAfter', 1)).toEqual([
      0,
      'An error occurred on the server while streaming results. HubException: enough',
    ])
  })

  test('a disposed subscription stops the stream on the server', async () => {
    const client = await start()
    await new Promise<void>((resolve) => {
      const subscription = client.stream('CountForever').subscribe({
        next(item) {
          if (item !== 3) {
            return
          }
          subscription.dispose()
          resolve()
        },
        complete() {},
        error() {},
      })
    })
    await expect.poll(() => running?.hub.events).toContain('count cancelled')
    expect(await client.invoke('Echo', 'alive')).toBe('alive')
  })

  test('a client can upload streams', async () => {
    const client = await start()
    const upload = (count: number) => {
      const subject = new Subject<number>()
      queueMicrotask(() => {
        for (let i = 1; i <= count; i++) {
          subject.next(i)
        }
        subject.complete()
      })
      return subject
    }
    expect(await client.invoke('SumFrom', 1_000, upload(50))).toBe(2_275)
    // Never two in a row: the client would lose track of the second.
    expect(await client.invoke('SumBoth', upload(2), 100, upload(3))).toBe(109)
    expect(await collect(client, 'Double', upload(3))).toEqual([2, 4, 6])
  })

  test('the server can invoke the client and get a result', async () => {
    const [client, other] = [await start(), await start()]
    client.on('Give', (value) => value * 2)
    other.on('Give', async (value) => {
      throw new Error(`not ${value}`)
    })
    expect(await client.invoke('AskMe', 'Give', 21)).toBe(42)
    expect(await failure(client.invoke('Ask', other.connectionId, 'Give', 21))).toContain('HubException: Error: not 21')
    expect(await failure(client.invoke('AskMe', 'Unknown', 1))).toContain(
      "HubException: Client didn't provide a result.",
    )
  })

  test('messages to a group, to others and to all reach those clients only', async () => {
    const [client, member, stranger] = [await start(), await start(), await start()]
    const heard: string[] = []
    for (const [name, each] of Object.entries({ client, member, stranger })) {
      each.on('heard', (text) => heard.push(`${name} ${text}`))
    }
    await member.invoke('Join', 'g')
    await client.invoke('ToGroup', 'g', 'one')
    await client.invoke('ToOthers', 'two')
    await expect.poll(() => heard.sort()).toEqual(['member one', 'member two', 'stranger two'])
    await member.invoke('Leave', 'g')
    await client.invoke('ToGroup', 'g', 'three')
    await client.invoke('ToAll', 'four')
    await expect.poll(() => heard.length).toBe(6)
  })

  test('binary data arrives in the encoding of the protocol', async () => {
    const client = await start()
    const echo = await client.invoke('Echo', protocolName === 'json' ? 'AQID' : new Uint8Array([1, 2, 3]))
    expect(protocolName === 'json' ? echo : [...echo]).toEqual(protocolName === 'json' ? 'AQID' : [1, 2, 3])
    const heard = new Promise<unknown>((resolve) => client.on('Bytes', resolve))
    void running?.server.clients.all.send('Bytes', [new Uint8Array([1, 2, 3])])
    const bytes = await heard
    expect(protocolName === 'json' ? bytes : [...(bytes as Uint8Array)]).toEqual(
      protocolName === 'json' ? 'AQID' : [1, 2, 3],
    )
  })

  test('stopping the client disconnects it on the server', async () => {
    const client = await start()
    await client.stop()
    await expect.poll(() => running?.hub.events).toEqual(['connected', 'disconnected'])
    expect(running?.server.connections.count).toBe(0)
  })

  test('the client reconnects only if the Close message of the server allows it', async () => {
    const client = await start()
    const closed = new Promise((resolve) => client.onclose(resolve))
    await client.send('Abort')
    expect(await closed).toBeUndefined()
    const second = await start()
    const [before, reconnected] = [second.connectionId, new Promise((resolve) => second.onreconnected(resolve))]
    await second.send('AbortAndReconnect')
    expect(await reconnected).not.toBe(before)
    expect(await second.invoke('Echo', 'again')).toBe('again')
  })

  test('the client reconnects after the server has restarted', async () => {
    const client = await start()
    const { port } = running as RunningTestHub
    const reconnected = new Promise((resolve) => client.onreconnected(resolve))
    await running?.stop()
    running = await startTestHub({ log, port })
    await reconnected
    expect(await client.invoke('Echo', 'again')).toBe('again')
  })

  test.runIf(transport === WebSockets)('the client connects without negotiation', async () => {
    running = await startTestHub({ log })
    const client = build('', true)
    await client.start()
    expect(await client.invoke('Echo', 1)).toBe(1)
  })
})
