import type { z } from 'zod'
import type {
  HubClientInvoker,
  HubClientSender,
  HubDefinition,
  HubHandlers,
  HubMethodDefinition,
} from '../../shared/contract/hub.ts'
import { reader } from '../../shared/contract/lenient.ts'
import type { Principal } from '../context.ts'
import { AppError } from '../errors.ts'
import type { Audience, HubClients } from '../signalr/clients.ts'
import { HubException, type Hub, type HubCall, type HubConnection, type HubMethod } from '../signalr/hub.ts'
import { messagePackWriter, readMessagePackString } from './messagepack-values.ts'

/** What every hub handler receives before its arguments. */
export interface HubContext {
  connection: HubConnection
  principal: Principal | undefined
  /** The arguments as they arrived, for what depends on their exact form. */
  rawArgs: readonly unknown[]
}

/** How a hub decides on the declared access of a call: throws an `AppError` to refuse it. */
export type CheckAccess = (context: HubContext, definition: HubMethodDefinition, args: readonly unknown[]) => void

type Codec = (value: unknown) => unknown

/** Reads a value from either protocol and checks it. */
function decoder(schema: z.ZodType): Codec {
  const read = reader(schema, { strings: readMessagePackString })
  return (value) => schema.parse(read(value))
}

const contextOf = (call: HubCall): HubContext => ({
  connection: call.connection,
  principal: call.connection.caller.principal as Principal | undefined,
  rawArgs: call.rawArgs,
})

/** Only what was written for the caller leaves as text; the engine hides everything else. */
function exposed(error: unknown): unknown {
  return error instanceof AppError ? new HubException(error.message) : error
}

async function* exposingErrors(items: AsyncIterable<unknown>) {
  try {
    yield* items
  } catch (error) {
    throw exposed(error)
  }
}

type AnyHandler = (context: HubContext & { upload: unknown }, ...args: unknown[]) => unknown

function bindMethod(
  name: string,
  definition: HubMethodDefinition,
  handler: AnyHandler,
  check: CheckAccess,
  isStrict: boolean,
): HubMethod {
  const decoders = definition.args.map(decoder)
  const decodeItem = definition.upload && decoder(definition.upload)
  const result = definition.streams ?? definition.returns
  const write = result && messagePackWriter(result)
  const isPermitted = (call: HubCall) => {
    try {
      check(contextOf(call), definition, call.args)
      return true
    } catch (error) {
      if (error instanceof AppError) {
        return false
      }
      throw error
    }
  }
  const hasAnswerForRefusal = 'refused' in definition
  return {
    name,
    streams: definition.streams !== undefined,
    uploads: definition.upload ? 1 : 0,
    parse(args) {
      if (args.length !== decoders.length) {
        throw new Error(`Invocation provides ${args.length} argument(s) but target expects ${decoders.length}.`)
      }
      return decoders.map((decode, index) => decode(args[index]))
    },
    parseItem: (_index, item) => decodeItem?.(item),
    authorize: (call) => hasAnswerForRefusal || isPermitted(call),
    async invoke(call) {
      if (hasAnswerForRefusal && !isPermitted(call)) {
        return definition.refused
      }
      try {
        const value = await handler({ ...contextOf(call), upload: call.uploads[0] }, ...call.args)
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
  onConnected?: Hub['onConnected']
  onDisconnected?: Hub['onDisconnected']
}

/** Joins a declaration and its handlers into what the engine asks for. */
export function bindHub<H extends HubDefinition>(
  definition: H,
  handlers: HubHandlers<H, HubContext>,
  options: { check: CheckAccess; isStrict: boolean } & HubEvents,
): Hub {
  const methods = new Map(
    Object.entries(definition.methods).map(([name, method]) => [
      name.toLowerCase(),
      bindMethod(name, method, handlers[name] as unknown as AnyHandler, options.check, options.isStrict),
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
    ...(options.onConnected && { onConnected: options.onConnected }),
    ...(options.onDisconnected && { onDisconnected: options.onDisconnected }),
  }
}

/** An object whose every method is `call` with the method's name. */
const byName = <T extends object>(call: (name: string, args: unknown[]) => unknown): T =>
  new Proxy({} as T, {
    get:
      (_, name) =>
      (...args: unknown[]) =>
        call(String(name), args),
  })

/** Typed fire-and-forget calls to some clients. */
export const senderTo = <H extends HubDefinition>(audience: Audience): HubClientSender<H> =>
  byName((name, args) => audience.send(name, args))

/** Typed calls to one client whose answer is awaited. */
export const invokerOf = <H extends HubDefinition>(
  clients: HubClients,
  connectionId: string,
  signal?: AbortSignal,
): HubClientInvoker<H> => byName((name, args) => clients.invoke(connectionId, name, args, signal))
