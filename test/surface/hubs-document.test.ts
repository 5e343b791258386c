import { readFileSync } from 'node:fs'
import { JsonHubProtocol, TransferFormat, type IHubProtocol, type ILogger } from '@microsoft/signalr'
import { MessagePackHubProtocol } from '@microsoft/signalr-protocol-msgpack'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { hubsFile } from '../../tools/documents.ts'
import { hubExamplesDocument } from '../../tools/documents/hubs.ts'
import type { HubExamples, WireExample } from '../../tools/documents/hub-examples.ts'
import { readMessagePackString } from '../../server/surface/messagepack-values.ts'
import { jsonProtocol } from '../../server/engines/signalr/protocol/json.ts'
import { messagePackProtocol } from '../../server/engines/signalr/protocol/messagepack.ts'
import type { HubProtocol } from '../../server/engines/signalr/protocol/messages.ts'
import { ReceiveBuffer } from '../../server/engines/signalr/protocol/receive-buffer.ts'
import type { HubDefinition } from '../../shared/contract/hub.ts'
import { reader } from '../../shared/contract/lenient.ts'
import { agentHub } from '../../shared/hubs/agent-hub.ts'
import { viewerHub } from '../../shared/hubs/viewer-hub.ts'
import { sourceFiles } from './source-files.ts'

const written = readFileSync(new URL('../../docs/hubs.md', import.meta.url), 'utf8')
const made = await hubsFile()
const fixture = readFileSync(new URL('../fixtures/hub-examples.json', import.meta.url), 'utf8')
const silent: ILogger = { log: () => {} }

test('docs/hubs.md and its examples are up to date: run `npm run documents` after changing a declaration', () => {
  // Without `expect`, which takes minutes to diff two long texts.
  expect(written === made).toBe(true)
  expect(fixture === hubExamplesDocument()).toBe(true)
})

test('the reasons in docs/hubs.md are those that the server gives', () => {
  const reasons = [...sectionUnder(written, '### How the server answers').matchAll(/`([A-Z][^`]*\.)`/g)].map(
    ([, it]) => it!,
  )
  const sources = sourceFiles('server/**/*.ts').map(({ text }) => text)
  expect(reasons.length).toBeGreaterThan(10)
  expect(reasons.filter((reason) => !sources.some((text) => text.includes(`'${reason}'`)))).toEqual([])
})

/** Text between a heading and the next heading of the same rank or above. */
function sectionUnder(text: string, heading: string): string {
  const start = text.indexOf(`\n${heading}\n`)
  expect(start, heading).toBeGreaterThanOrEqual(0)
  const [rank] = heading.split(' ')
  const rest = text.slice(start + heading.length + 2)
  const end = rest.search(new RegExp(`^#{2,${rank!.length}} `, 'm'))
  return end < 0 ? rest : rest.slice(0, end)
}

interface Read {
  from: string
  type: number
  target: unknown
  args: unknown
}

/** Message as parsed by its receiver: the official client, or the server. */
function readBy(from: string, bytes: Buffer, server: HubProtocol, client: IHubProtocol): Read {
  if (from === 'client') {
    const input = new ReceiveBuffer()
    input.append(bytes)
    const message = server.read(input, 1_000_000)!
    return 'args' in message ? { from, ...message } : { from, type: message.type, target: undefined, args: undefined }
  }
  const input = client.transferFormat === TransferFormat.Text ? bytes.toString() : Uint8Array.from(bytes).buffer
  const message = client.parseMessages(input, silent)[0] as { type: number; target?: string; arguments?: unknown[] }
  return { from, type: message.type, target: message.target, args: message.arguments }
}

const officialJson = new JsonHubProtocol()
const officialMessagePack = new MessagePackHubProtocol()
const readers = {
  json: ({ from, json }: WireExample) => readBy(from, Buffer.from(`${json}\x1e`), jsonProtocol, officialJson),
  messagepack: ({ from, messagePack }: WireExample) =>
    readBy(from, Buffer.from(messagePack, 'hex'), messagePackProtocol, officialMessagePack),
}

const examples = JSON.parse(fixture) as Record<string, HubExamples>

type Row = readonly [path: string, name: string, args: readonly z.ZodType[], messages: readonly WireExample[]]

const rows = [agentHub, viewerHub].flatMap(({ path, methods, client }: HubDefinition) => [
  ...Object.entries(methods).map(([name, { args }]): Row => [path, name, args, examples[path]!.methods[name]!]),
  ...Object.entries(client).map(([name, { args }]): Row => [path, name, args, examples[path]!.client[name]!]),
])

describe.each(rows)('%s, %s', (_, name, args, messages) => {
  test.each(['json', 'messagepack'] as const)('has a valid example in %s', (protocol) => {
    const read = messages.map(readers[protocol])
    const { target, args: values } = read[0]!
    expect({ target, count: (values as unknown[]).length }).toEqual({ target: name, count: args.length })
    for (const [index, schema] of args.entries()) {
      const value = reader(schema, { strings: readMessagePackString })((values as unknown[])[index])
      expect(schema.safeParse(value).error?.issues ?? []).toEqual([])
    }
    const course = (reads: readonly Read[]) => reads.map(({ from, type }) => `${from} ${type}`)
    expect(course(read)).toEqual(course(messages.map(readers.json)))
  })
})
