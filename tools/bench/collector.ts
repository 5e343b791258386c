/**
 * A collector that counts spans and drops everything: `Listening on URL`, like the other programs of benchmarks. It does
 * not decode spans, which would measure the collector on the same cores. A message is answered with the number of spans.
 */
import { Server, ServerCredentials } from '@grpc/grpc-js'

const bytes = (value: Buffer) => value
const unary = (path: string) => ({
  path,
  requestStream: false as const,
  responseStream: false as const,
  requestSerialize: bytes,
  requestDeserialize: bytes,
  responseSerialize: bytes,
  responseDeserialize: bytes,
})
const service = (signal: string, name: string) =>
  unary(`/opentelemetry.proto.collector.${signal}.v1.${name}Service/Export`)

/** Yields the messages in a field of a message; skips the others by their lengths. */
function* messages(bytes: Buffer, field: number): Generator<Buffer> {
  let at = 0
  const varint = () => {
    for (let value = 0, factor = 1; ; factor *= 128) {
      const byte = bytes[at++]!
      value += (byte & 127) * factor
      if (byte < 128) {
        return value
      }
    }
  }
  while (at < bytes.length) {
    const tag = varint()
    if (tag % 8 !== 2) {
      throw new Error('Only messages and texts stand above spans.')
    }
    const length = varint()
    if (tag >> 3 === field) {
      yield bytes.subarray(at, at + length)
    }
    at += length
  }
}

let spans = 0
function countSpans(bytes: Buffer) {
  for (const resource of messages(bytes, 1)) {
    for (const scope of messages(resource, 2)) {
      spans += [...messages(scope, 2)].length
    }
  }
}

type Answer = (error: null, value: Buffer) => void
const accept = (_call: unknown, answer: Answer) => answer(null, Buffer.alloc(0))
function acceptSpans({ request }: { request: Buffer }, answer: Answer) {
  countSpans(request)
  answer(null, Buffer.alloc(0))
}
process.on('message', () => process.send?.(spans))
const server = new Server()
server.addService(
  { trace: service('trace', 'Trace'), metrics: service('metrics', 'Metrics'), logs: service('logs', 'Logs') },
  { trace: acceptSpans, metrics: accept, logs: accept },
)
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (_error, port) => {
  process.stdout.write(`Listening on http://127.0.0.1:${port}\n`)
})
