/** A collector that reads and drops everything: `Listening on URL`, like the other programs of benchmarks. */
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

const accept = (_call: unknown, answer: (error: null, value: Buffer) => void) => answer(null, Buffer.alloc(0))
const server = new Server()
server.addService(
  { trace: service('trace', 'Trace'), metrics: service('metrics', 'Metrics'), logs: service('logs', 'Logs') },
  { trace: accept, metrics: accept, logs: accept },
)
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (_error, port) => {
  process.stdout.write(`Listening on http://127.0.0.1:${port}\n`)
})
