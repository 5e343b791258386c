import type { z } from 'zod'
import type { HubClientMethodDefinition, HubDefinition, HubMethodDefinition } from '../../shared/contract/hub.ts'
import { SignedDeviceUpdateDto } from '../../shared/dtos/device.ts'
import { messagePackWriter } from '../../server/surface/messagepack-values.ts'
import { Components } from '../../server/engines/http/contract/schemas.ts'
import { namedExamples } from '../../server/surface/document-texts.ts'
import { jsonProtocol } from '../../server/engines/signalr/protocol/json.ts'
import { messagePackProtocol } from '../../server/engines/signalr/protocol/messagepack.ts'
import {
  completionOfStream,
  completionWithResult,
  type Message,
} from '../../server/engines/signalr/protocol/messages.ts'
import { signedUpdate } from './signed-update.ts'

const examples = new Components({
  ...namedExamples,
  archiveFileName: ['reports.zip'],
  directoryName: ['reports'],
  directoryPath: ['/home/ada'],
  fileDisplayName: ['report.pdf'],
  filePath: ['/home/ada/report.pdf'],
  fullPath: ['/home/ada/report.pdf'],
  groupName: ['Agent'],
  input: ['uptime'],
  isAttach: [false],
  isExit: [false],
  isPty: [true],
  isRaw: [false],
  isReplay: [false],
  macAddresses: [['001A2B3C4D5E']],
  output: ['up 3 days\r\n'],
  parentPath: ['/home/ada'],
  pathSegment: ['/'],
  pathSeparator: ['/'],
  reason: ['Server has been decommissioned.'],
  shell: ['bash'],
  targetDirectoryPath: ['/home/ada'],
  targetPath: ['/home/ada/report.pdf'],
  viewerConnectionId: ['Vw3pZ8s1TtQ0bL5n'],
})

/** Example of a schema. Hub schemas mark bytes by their format alone, and name positional arguments by their title. */
function exampleOf(schema: z.ZodType): unknown {
  if (schema === SignedDeviceUpdateDto) {
    return signedUpdate().message
  }
  const shape = examples.add(schema, 'output')
  if (shape.format === 'base64') {
    return Buffer.from('hello').toString('base64')
  }
  const { title } = shape
  const value = examples.exampleOf(shape, typeof title === 'string' ? title : '')
  const isResult = typeof value === 'object' && value !== null && 'isSuccess' in value
  return isResult ? { ...value, reason: null, errorCode: null } : value
}

/** Message of an example before encoding. `write` returns the schema of each value. */
interface Step {
  from: 'client' | 'server'
  message(value: (schema: z.ZodType) => unknown): Message
}

const invocation = (
  target: string,
  invocationId: string | undefined,
  args: readonly z.ZodType[],
  streamIds: string[],
) => ((value) => ({ type: 1, invocationId, target, args: args.map(value), streamIds })) satisfies Step['message']

/** Messages of a call of a hub method. */
function callOf(target: string, { args, returns, streams, upload }: HubMethodDefinition): Step[] {
  const id = '1'
  if (streams) {
    return [
      {
        from: 'client',
        message: (value) => ({ type: 4, invocationId: id, target, args: args.map(value), streamIds: [] }),
      },
      { from: 'server', message: (value) => ({ type: 2, invocationId: id, item: value(streams) }) },
      { from: 'server', message: () => completionOfStream(id) },
    ]
  }
  const sent: Step[] = upload
    ? [
        { from: 'client', message: (value) => ({ type: 2, invocationId: '2', item: value(upload) }) },
        { from: 'client', message: () => completionOfStream('2') },
      ]
    : []
  return [
    { from: 'client', message: invocation(target, id, args, upload ? ['2'] : []) },
    ...sent,
    { from: 'server', message: (value) => completionWithResult(id, returns ? value(returns) : null) },
  ]
}

/** Messages of a call by the server. */
function eventOf(target: string, { args, returns }: HubClientMethodDefinition): Step[] {
  return [
    { from: 'server', message: invocation(target, returns ? 's1' : undefined, args, []) },
    ...(returns
      ? [{ from: 'client', message: (value) => completionWithResult('s1', value(returns)) } satisfies Step]
      : []),
  ]
}

/** Encodes an example; a signed update keeps the signed values. */
const writeBinary = (schema: z.ZodType) =>
  schema === SignedDeviceUpdateDto ? exampleOf(schema) : messagePackWriter(schema)(exampleOf(schema))

/** Encoded message: a line of JSON without its separator, and MessagePack as hex. */
export interface WireExample {
  from: 'client' | 'server'
  json: string
  messagePack: string
}

/** Examples of a hub by method name. */
export interface HubExamples {
  methods: Record<string, WireExample[]>
  client: Record<string, WireExample[]>
}

const written = (steps: readonly Step[]): WireExample[] =>
  steps.map(({ from, message }) => ({
    from,
    json: String(jsonProtocol.write(message(exampleOf))).replaceAll('\x1e', ''),
    messagePack: Buffer.from(messagePackProtocol.write(message(writeBinary))).toString('hex'),
  }))

const byName = <D>(definitions: Readonly<Record<string, D>>, steps: (name: string, definition: D) => Step[]) =>
  Object.fromEntries(Object.entries(definitions).map(([name, each]) => [name, written(steps(name, each))]))

/** Example of a call of every method of some hubs, in both directions and both protocols, by the hub's path. */
export const hubExamples = (hubs: readonly HubDefinition[]): Record<string, HubExamples> =>
  Object.fromEntries(
    hubs.map(({ path, methods, client }) => [
      path,
      { methods: byName(methods, callOf), client: byName(client, eventOf) },
    ]),
  )
