import type { z } from 'zod'
import type {
  HubClientInvoker,
  HubClientSender,
  HubDefinition,
  HubHandlers,
  HubMethodDefinition,
} from '../../shared/contract/hub.ts'
import { bytes } from '../../shared/contract/fields.ts'
import { reader } from '../../shared/contract/lenient.ts'
import type { OpenCall } from '../call/call.ts'
import { AppError, clientError } from '../ground/errors.ts'
import type { ServerResources } from './authorize.ts'
import {
  HubException,
  type Audience,
  type Hub,
  type HubClients,
  type HubConnection,
  type HubMethod,
} from '../engines/signalr/index.ts'
import { messagePackWriter, readMessagePackString } from './messagepack-values.ts'

/** First argument of every hub handler, with the entities that the method's access names. */
export type HubCallOf<Base extends OpenCall> = Base & {
  connection: HubConnection
  /** Arguments as received, for handlers that depend on their exact encoding. */
  rawArgs: readonly unknown[]
  /** Lets other calls of this client run while this call waits for somebody else. */
  releaseSlot(): void
}

/** Authorizes a call and returns the handler's entities; throws an `AppError` to reject. */
export type AuthorizeCall = (
  connection: HubConnection,
  definition: HubMethodDefinition,
  args: readonly unknown[],
) => Promise<object>

/** Runs a permitted call, whose writes check the access again. */
export type CheckingWrites = (
  connection: HubConnection,
  definition: HubMethodDefinition,
  args: readonly unknown[],
  work: () => Promise<unknown>,
) => Promise<unknown>

type Codec = (value: unknown) => unknown

const readerOptions = { strings: readMessagePackString }

/** Decodes a value of either protocol and validates it. */
function decoder(schema: z.ZodType): Codec {
  const read = reader(schema, readerOptions)
  return (value) => schema.parse(read(value))
}

/** Text that clients of other servers know; sent with detailed errors alone. */
const unbound =
  'Error binding arguments. Make sure that the types of the provided values match the types of the hub method being invoked.'

/** Exposes the messages that are written for clients; the engine hides all others. */
function exposed(error: unknown): unknown {
  const expected = clientError(error)
  return expected ? new HubException(expected.message) : error
}

async function* exposingErrors(items: AsyncIterable<unknown>) {
  try {
    yield* items
  } catch (error) {
    throw exposed(error)
  }
}

/** Reads an item of a stream of bytes. */
const readBytes: Codec = (item) => (item instanceof Uint8Array ? item : Buffer.from(bytes.parse(item), 'base64'))

type AnyHandler = (call: HubCallOf<OpenCall> & { upload: unknown }, ...args: unknown[]) => unknown

interface BindOptions<Base extends OpenCall> {
  callOf(connection: HubConnection): Base
  authorize: AuthorizeCall
  checkingWrites?: CheckingWrites
  /** In tests, a result that violates its declaration is an error. */
  isStrict: boolean
  observer?: CallObserver | undefined
}

/** Follows the calls of hub methods. */
export interface CallObserver {
  /** Runs a permitted call. */
  run(hub: string, method: string, work: () => Promise<unknown>): Promise<unknown>
  /** Called for a call whose caller lacks the permission. */
  refused(hub: string, method: string): void
}

function bindMethod(
  hub: string,
  name: string,
  definition: HubMethodDefinition,
  handler: AnyHandler,
  { callOf, authorize, checkingWrites, isStrict, observer }: BindOptions<OpenCall>,
): HubMethod {
  const decoders = definition.args.map(decoder)
  const readsBytes = definition.upload === bytes
  const decodeItem = readsBytes ? readBytes : definition.upload && decoder(definition.upload)
  const result = definition.streams ?? definition.returns
  const write = result && messagePackWriter(result)
  return {
    name,
    streams: definition.streams !== undefined,
    uploads: definition.upload ? 1 : 0,
    readsBytes,
    parse(given) {
      const { positional } = definition
      const args =
        positional?.length === given.length
          ? [Object.fromEntries(positional.map((name, index) => [name, given[index]]))]
          : given
      if (args.length !== decoders.length) {
        throw new Error(`Invocation provides ${args.length} argument(s) but target expects ${decoders.length}.`)
      }
      try {
        return decoders.map((decode, index) => decode(args[index]))
      } catch (cause) {
        throw new Error(unbound, { cause })
      }
    },
    parseItem: (_index, item) => decodeItem?.(item),
    async authorize(call) {
      try {
        call.state = await authorize(call.connection, definition, call.args)
        return true
      } catch (error) {
        if (error instanceof AppError && error.status < 500) {
          observer?.refused(hub, name)
          return 'refused' in definition
        }
        throw exposed(error)
      }
    },
    async invoke(call) {
      const { connection, rawArgs, uploads, args, state } = call
      if (!state) {
        return definition.refused
      }
      const handle = async () =>
        handler(
          {
            ...callOf(connection),
            connection,
            rawArgs,
            releaseSlot: () => call.releaseSlot(),
            upload: uploads[0],
            ...state,
          },
          ...args,
        )
      const work = () => (checkingWrites ? checkingWrites(connection, definition, args, handle) : handle())
      try {
        const value = await (observer ? observer.run(hub, name, work) : work())
        if (definition.streams) {
          return exposingErrors(value as AsyncIterable<unknown>)
        }
        return isStrict && definition.returns ? definition.returns.parse(value) : value
      } catch (error) {
        throw exposed(error)
      }
    },
    present: (value, protocol) => (protocol === 'messagepack' && write ? write(value) : value),
  }
}

interface HubEvents {
  forward?: Hub['forward'] | undefined
  onConnected?: Hub['onConnected']
  onDisconnected?: Hub['onDisconnected']
}

/** Builds the engine's hub from a declaration and its handlers. */
export function bindHub<H extends HubDefinition, Base extends OpenCall>(
  definition: H,
  handlers: HubHandlers<H, HubCallOf<Base>, ServerResources>,
  options: BindOptions<Base> & HubEvents,
): Hub {
  const methods = new Map(
    Object.entries(definition.methods).map(([name, method]) => [
      name.toLowerCase(),
      bindMethod(definition.path, name, method, handlers[name] as unknown as AnyHandler, options),
    ]),
  )
  const clientWriters = new Map(
    Object.entries(definition.client).map(([name, { args }]) => [name, args.map(messagePackWriter)]),
  )
  const resultDecoders = new Map(
    Object.entries(definition.client).flatMap(([name, { returns }]) => (returns ? [[name, decoder(returns)]] : [])),
  )
  return {
    find: (target) => methods.get(target.toLowerCase()),
    presentArgs: (target, args, protocol) =>
      protocol === 'messagepack' ? args.map((arg, index) => clientWriters.get(target)?.[index]?.(arg)) : args,
    parseResult: (target, result) => resultDecoders.get(target)?.(result),
    ...(options.forward && { forward: options.forward }),
    ...(options.onConnected && { onConnected: options.onConnected }),
    ...(options.onDisconnected && { onDisconnected: options.onDisconnected }),
  }
}

/** Proxy on which each method calls `call` with the method's name. */
const byName = <T extends object>(call: (name: string, args: unknown[]) => unknown): T =>
  new Proxy({} as T, {
    get:
      (_, name) =>
      (...args: unknown[]) =>
        call(String(name), args),
  })

export const senderTo = <H extends HubDefinition>(audience: Audience): HubClientSender<H> =>
  byName((name, args) => audience.send(name, args))

/** Typed calls to a client that await the result. */
export const invokerOf = <H extends HubDefinition>(
  clients: Pick<HubClients, 'invoke'>,
  connectionId: string,
  signal?: AbortSignal,
): HubClientInvoker<H> => byName((name, args) => clients.invoke(connectionId, name, args, signal))
