import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { BatchFileDto } from '../../../shared/dtos/batch.ts'
import { minuteMs } from '../../../shared/durations.ts'
import type { BatchFile } from '../../batches/batch-files.ts'
import type { App } from '../../call/call.ts'
import type { RemoteBytes, StreamReader } from '../../call/clients.ts'
import type { Cluster, ClusterServer } from '../../engines/cluster/cluster.ts'
import { framed, unframed } from '../../engines/cluster/framed-items.ts'
import type { Hops } from '../../engines/cluster/hop.ts'
import type { ClusterProxy } from '../../engines/cluster/proxy.ts'
import { WindowedCounts } from '../../engines/flow/windowed-counts.ts'
import type { Response } from '../../engines/http/web/response.ts'
import type { Clock } from '../../ground/clock.ts'
import { notFound } from '../../ground/errors.ts'

const hasStream = 'stream.has'
const hasFile = 'file.has'
const bytesPath = '/cluster/bytes'

/** Interval of asking for a file of a running batch, which is kept for an hour after each question. */
const renewMs = 20 * minuteMs
/** Streams that no server offers, for each device in a minute; then other servers are not asked. */
const maxUnknown = 30

/** A stream that is offered to the connection of an agent, or a file for batches of an owner. */
interface Wanted {
  kind: 'stream' | 'file'
  id: string
  /** Id of the connection, or the owner. */
  for: string
}

export interface BytesOptions {
  app: () => App
  clock: Clock
  cluster: Cluster
  hops: Hops
  proxy: ClusterProxy
}

/** Streams and files that one server holds in memory or on its disk, read by another one that needs them. */
export class ClusterBytes implements RemoteBytes {
  readonly #options: BytesOptions
  readonly #unknown: WindowedCounts

  constructor(options: BytesOptions) {
    this.#options = options
    const { app, cluster, clock } = options
    this.#unknown = new WindowedCounts(clock, { windowMs: minuteMs })
    cluster.answer(hasStream, async (body) => {
      const { id, for: connectionId } = body as Wanted
      return app().streams.isOffered(id, connectionId)
    })
    cluster.answer(hasFile, async (body) => {
      const { id, for: owner } = body as Wanted
      return app().batchFiles.find(owner, id) ?? null
    })
  }

  async *stream(id: string, { connectionId, deviceId }: StreamReader): AsyncGenerator<Uint8Array> {
    const wanted: Wanted = { kind: 'stream', id, for: connectionId }
    // Counted before the wait, so that concurrent requests cannot exceed the limit.
    const mayAsk = this.#unknown.add(deviceId) <= maxUnknown
    const found = mayAsk ? await this.#find(hasStream, wanted) : undefined
    if (!found) {
      throw notFound('stream')
    }
    this.#unknown.remove(deviceId)
    yield* this.#read(found.server, wanted)
  }

  async batchFile(owner: string, id: string): Promise<{ file: BatchFile; release: () => void } | undefined> {
    const { cluster, clock } = this.#options
    const wanted: Wanted = { kind: 'file', id, for: owner }
    const found = await this.#find(hasFile, wanted)
    if (!found) {
      return undefined
    }
    const { server, answer } = found
    // Lost questions do not matter: the next one comes in time, or that server has ended with the file.
    const renew = () => void cluster.ask(server.id, hasFile, wanted).catch(() => {})
    return {
      file: { ...(answer as BatchFileDto), read: () => this.#read(server, wanted) },
      release: clock.every(renewMs, renew),
    }
  }

  /** Serves a read of another server; returns false for any other request. */
  serve(request: IncomingMessage, response: Response): boolean {
    const { app, hops } = this.#options
    const [path, query] = request.url?.split('?') ?? []
    if (path !== bytesPath || !hops.isFromServer(request)) {
      return false
    }
    const wanted = Object.fromEntries(new URLSearchParams(query)) as unknown as Wanted
    void this.#send(wanted, response).catch((error: unknown) => {
      app().log.info({ err: error, ...wanted }, 'Bytes for another server were not sent to their end.')
      response.destroy()
    })
    return true
  }

  async #send(wanted: Wanted, response: Response): Promise<void> {
    const { streams, batchFiles } = this.#options.app()
    if (wanted.kind === 'stream') {
      await pipeline(Readable.from(framed(streams.fetch(wanted.id, wanted.for))), response)
      return
    }
    const { files, release } = batchFiles.use(wanted.for, [wanted.id])
    try {
      await pipeline(Readable.from(framed(files[0]!.read())), response)
    } finally {
      release()
    }
  }

  async #find(method: string, wanted: Wanted): Promise<{ server: ClusterServer; answer: unknown } | undefined> {
    const answers = await this.#options.cluster.askOthers(method, wanted)
    return answers.find(({ answer }) => Boolean(answer))
  }

  async *#read({ id, url }: ClusterServer, wanted: Wanted): AsyncGenerator<Uint8Array> {
    const { hops, proxy } = this.#options
    const path = `${bytesPath}?${new URLSearchParams({ ...wanted }).toString()}`
    const answer = await proxy.ask(url, path, hops.ownHeadersTo(id, path))
    try {
      if (answer.statusCode !== 200) {
        throw notFound(wanted.kind)
      }
      yield* unframed(answer)
    } finally {
      answer.destroy()
    }
  }
}
