import type { Hub, HubCall, HubMethod } from './hub.ts'

/** A method in its shortest notation: everyone may call it, with as many arguments as it declares besides the call. */
export type HubFunction = (call: HubCall, ...args: never[]) => unknown

export type HubEvents = Pick<Hub, 'onConnected' | 'onDisconnected'>

/**
 * Makes a hub from methods by name. A function is enough for most (an async generator answers with a stream); the long
 * notation adds argument checks, rights and uploads.
 */
export function hubOf(methods: Record<string, HubFunction | Omit<HubMethod, 'name'>>, events: HubEvents = {}): Hub {
  const byName = new Map(
    Object.entries(methods).map(([name, method]): [string, HubMethod] => [
      name.toLowerCase(),
      typeof method === 'function' ? methodOf(name, method) : { ...method, name },
    ]),
  )
  return { ...events, find: (target) => byName.get(target.toLowerCase()) }
}

/** The language has no global of this name. */
const AsyncGeneratorFunction = async function* () {}.constructor as FunctionConstructor

function methodOf(name: string, run: HubFunction): HubMethod {
  const expected = Math.max(0, run.length - 1)
  return {
    name,
    streams: run instanceof AsyncGeneratorFunction,
    uploads: 0,
    parse(args) {
      if (args.length !== expected) {
        throw new Error(`Invocation provides ${args.length} argument(s) but target expects ${expected}.`)
      }
      return args
    },
    parseItem: (_index, item) => item,
    authorize: () => true,
    invoke: (call) => run(call, ...(call.args as never[])),
  }
}
