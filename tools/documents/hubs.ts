/** Generates docs/hubs.md: hubs-introduction.md, then the declarations in shared/hubs. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { z } from 'zod'
import type { Access } from '../../shared/access.ts'
import type { HubClientMethodDefinition, HubDefinition, HubMethodDefinition } from '../../shared/contract/hub.ts'
import { encodeSignedDeviceUpdate } from '../../shared/dtos/device-signature.ts'
import { agentHub } from '../../shared/hubs/agent-hub.ts'
import { viewerHub } from '../../shared/hubs/viewer-hub.ts'
import { hubExamples } from './hub-examples.ts'
import { Shapes } from './shapes.ts'
import { signedUpdate } from './signed-update.ts'

const hubs: readonly HubDefinition[] = [agentHub, viewerHub]

function accessInWords(access: Access): string {
  if (typeof access === 'string') {
    return {
      anonymous: 'anyone.',
      authenticated: 'any principal that is signed in.',
      agent: 'a connection that speaks for a device at the moment: its own update was the last one to be accepted.',
    }[access]
  }
  if ('scope' in access) {
    return `any principal that is signed in; devices on which it lacks \`${access.scope}\` are skipped.`
  }
  if (access.on === 'device') {
    const place = typeof access.at === 'number' ? 'the first argument names' : `\`${access.at}\` names`
    return `\`${access.permission}\` on the device that ${place}.`
  }
  return `\`${access.permission}\` on the ${access.on}.`
}

/** Answer to a caller without permission. */
function refusalInWords({ refused, access }: HubMethodDefinition): string[] {
  if (access === 'anonymous') {
    return []
  }
  if (refused === undefined) {
    return ['Without the right: a completion with an error.']
  }
  return [`Without the right: \`${JSON.stringify(refused)}\`.`]
}

/** Describes a positional argument by its type's name, or else by its title. */
function argumentInWords(schema: z.ZodType, shapes: Shapes): string {
  const { id, title } = schema.meta() ?? {}
  if (id === undefined && title === undefined) {
    throw new Error('A positional argument has no name: declare it with argument(name, schema).')
  }
  const type = shapes.describe(schema)
  return title === undefined ? type : `\`${title}\`: ${type}`
}

const argumentsInWords = (args: readonly z.ZodType[], shapes: Shapes) =>
  args.length === 0
    ? 'Arguments: none.'
    : `Arguments: ${args.map((schema, index) => `${index + 1}. ${argumentInWords(schema, shapes)}`).join('; ')}.`

const asList = (points: readonly string[]) => points.map((point) => `- ${point}`).join('\n')

function methodSection(name: string, definition: HubMethodDefinition, shapes: Shapes): string {
  const { summary, access, args, returns, streams, upload } = definition
  const answer = streams
    ? `Answer: a stream of ${shapes.describe(streams)}.`
    : `Answer: ${returns ? shapes.describe(returns) : 'null, when it is done'}.`
  const points = [
    `Who may: ${accessInWords(access)}`,
    argumentsInWords(args, shapes),
    ...(upload ? [`Upload: one stream of ${shapes.describe(upload)}.`] : []),
    answer,
    ...refusalInWords(definition),
  ]
  return [`### ${name}`, summary, asList(points)].join('\n\n')
}

function eventSection(name: string, definition: HubClientMethodDefinition, shapes: Shapes): string {
  const { summary, args, returns } = definition
  const points = [
    argumentsInWords(args, shapes),
    returns ? `The client answers: ${shapes.describe(returns)}.` : 'No answer is expected.',
  ]
  return [`### ${name}`, summary, asList(points)].join('\n\n')
}

function hubSections({ path, methods, client }: HubDefinition, shapes: Shapes): string[] {
  return [
    `## ${path}: what clients call`,
    ...Object.entries(methods).map(([name, method]) => methodSection(name, method, shapes)),
    `## ${path}: what the server calls`,
    ...Object.entries(client).map(([name, method]) => eventSection(name, method, shapes)),
  ]
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const inLines = (bytes: Uint8Array) =>
  Buffer.from(bytes)
    .toString('hex')
    .match(/.{1,112}/g)!
    .join('\n')

/** Computed parts of the introduction. */
function publishedUpdate(): Record<string, string> {
  const {
    seed,
    message,
    update: { length },
  } = signedUpdate()
  const payload = encodeSignedDeviceUpdate(message.dto, message.timestamp, message.publicKey)
  const update = payload.subarray(4, 4 + length)
  return {
    seed,
    message: JSON.stringify(message),
    update: inLines(update),
    'update length': String(update.length),
    'update sha256': sha256(update),
    payload: inLines(payload),
    'payload length': String(payload.length),
    'payload sha256': sha256(payload),
  }
}

function introduction(): string {
  const values = publishedUpdate()
  const template = readFileSync(new URL('hubs-introduction.md', import.meta.url), 'utf8')
  return template.replace(/\{\{([\w ]+)\}\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) {
      throw new Error(`hubs-introduction.md asks for "${name}", which nobody computes.`)
    }
    return value
  })
}

/** Text of docs/hubs.md before formatting. */
export function hubsDocument(): string {
  const shapes = new Shapes()
  const methods = hubs.flatMap((hub) => hubSections(hub, shapes))
  return [introduction().trimEnd(), ...methods, '## Types', ...shapes.sections(), ''].join('\n\n')
}

/** The text of test/fixtures/hub-examples.json. */
export const hubExamplesDocument = (): string => `${JSON.stringify(hubExamples(hubs), null, 2)}\n`
