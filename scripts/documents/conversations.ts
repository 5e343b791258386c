import type { z } from 'zod'
import type { HubClientMethodDefinition, HubMethodDefinition } from '../../shared/contract/hub.ts'
import { SignedDeviceUpdateDto } from '../../shared/dtos/device.ts'
import { messagePackWriter } from '../../server/hubs/messagepack-values.ts'
import { Components } from '../../server/http/openapi/schemas.ts'
import { namedExamples } from '../../server/routes/document-texts.ts'
import { jsonProtocol } from '../../server/signalr/protocol/json.ts'
import { messagePackProtocol } from '../../server/signalr/protocol/messagepack.ts'
import { completionOfStream, completionWithResult, type Message } from '../../server/signalr/protocol/messages.ts'
import { signedUpdate } from './signed-update.ts'

/** How the invisible end of a JSON message is shown. */
export const shownSeparator = '␞'

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

/** Hub schemas mark bytes by their format alone, and name positional arguments by their title. */
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

/** One message of an example, before a protocol writes it. `write` says which schema each value in it follows. */
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

/** The messages of one call of a method of the hub. */
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

/** The messages of one call that the server makes. */
function eventOf(target: string, { args, returns }: HubClientMethodDefinition): Step[] {
  return [
    { from: 'server', message: invocation(target, returns ? 's1' : undefined, args, []) },
    ...(returns
      ? [{ from: 'client', message: (value) => completionWithResult('s1', value(returns)) } satisfies Step]
      : []),
  ]
}

/** A signed update keeps the values that were signed. */
const writeBinary = (schema: z.ZodType) =>
  schema === SignedDeviceUpdateDto ? exampleOf(schema) : messagePackWriter(schema)(exampleOf(schema))

const inLines = (hex: string) => hex.match(/.{1,112}/g)!.join('\n    ')

function written(steps: readonly Step[]): string {
  const inJson = steps.map(({ from, message }) => {
    const text = String(jsonProtocol.write(message(exampleOf)))
    return `${from}: ${text.replaceAll('\x1e', shownSeparator)}`
  })
  const inMessagePack = steps.map(({ from, message }) => {
    const bytes = messagePackProtocol.write(message(writeBinary))
    return `${from}:\n    ${inLines(Buffer.from(bytes).toString('hex'))}`
  })
  const block = (lines: readonly string[]) => ['```text', ...lines, '```'].join('\n')
  return [
    '<details><summary>Example</summary>',
    'JSON:',
    block(inJson),
    'MessagePack:',
    block(inMessagePack),
    '</details>',
  ].join('\n\n')
}

/** A call of a client as it travels, in both protocols. */
export const callExample = (target: string, definition: HubMethodDefinition): string =>
  written(callOf(target, definition))

/** A call of the server as it travels, in both protocols. */
export const eventExample = (target: string, definition: HubClientMethodDefinition): string =>
  written(eventOf(target, definition))
