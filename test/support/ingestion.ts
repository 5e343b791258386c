import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'

/** A record of Azure Monitor. */
export interface Envelope {
  name: string
  tags: Record<string, string>
  data: { baseType: string; baseData: Record<string, unknown> }
}

/** Stand-in for the cloud's ingestion endpoint: accepts all envelopes by its documented answer, and stores them. */
export async function startIngestion(tls: { cert: string; key: string }) {
  const envelopes: Envelope[] = []
  const paths = new Set<string>()
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    paths.add(request.url ?? '')
    const body = await buffer(request)
    const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString()
    const lines = text.trimStart().startsWith('[')
      ? (JSON.parse(text) as Envelope[])
      : text.split('\n').map((line) => JSON.parse(line) as Envelope)
    envelopes.push(...lines)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ itemsReceived: lines.length, itemsAccepted: lines.length, errors: [] }))
  }
  const server = createServer(tls, (request, response) => void take(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    envelopes,
    paths,
    connectionString: `InstrumentationKey=3f2504e0-4f89-41d3-9a0c-0305e82c3301;IngestionEndpoint=https://127.0.0.1:${port}/`,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
