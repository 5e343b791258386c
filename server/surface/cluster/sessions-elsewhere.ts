import type { IncomingMessage } from 'node:http'
import { access } from 'node:fs/promises'
import { applianceRecordings, applianceSessionRecordings } from '../../../shared/api/appliance-recordings.ts'
import { applianceRemoteSessions } from '../../../shared/api/appliance-remote-sessions.ts'
import type { RouteDefinition } from '../../../shared/contract/route.ts'
import type { RemoteSessionDto } from '../../../shared/dtos/remote-session.ts'
import type { App } from '../../call/call.ts'
import type { Cluster, ClusterServer } from '../../engines/cluster/cluster.ts'
import type { ClusterProxy } from '../../engines/cluster/proxy.ts'
import { parameterNames, PathTable } from '../../engines/http/contract/path-table.ts'
import { pathOf } from '../../engines/http/web/request.ts'
import type { Response } from '../../engines/http/web/response.ts'
import { pathOf as pathOfRecording } from '../../recordings/folder.ts'

const holds = 'session.has'
const guid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
const { list, message, end } = applianceRemoteSessions.routes
const { read, block, asciicast } = applianceRecordings.routes

/** Routes of what a single server has, and the parameters that name it. */
const named: readonly (readonly [RouteDefinition, string])[] = [
  ...[message, end, ...Object.values(applianceSessionRecordings.routes)].map((route) => [route, 'sessionId'] as const),
  [read, 'recordingId'],
  [block, 'readingId'],
  [asciicast, 'readingId'],
]

/** Whether this server has a session, a terminal that may be recorded, or a reading of a recording. */
const isLive = (app: App, id: string) =>
  app.remoteSessions.get(id) !== undefined ||
  app.recorders.has(id) ||
  app.readings.get(id, app.clock.monotonic()) !== undefined

/** Whether this server has what an id names, or the file of a recording. */
const isHere = async (app: App, id: string) =>
  isLive(app, id) ||
  access(pathOfRecording(app, id)).then(
    () => true,
    () => false,
  )

/** Sessions and recordings of all servers: each has those of the devices that it holds. */
export class SessionsElsewhere {
  readonly #app: App
  readonly #cluster: Cluster
  readonly #proxy: ClusterProxy
  readonly #named = new PathTable<{ position: number }>()

  constructor(app: App, cluster: Cluster, proxy: ClusterProxy) {
    this.#app = app
    this.#cluster = cluster
    this.#proxy = proxy
    cluster.answer(holds, async (id) => guid.test(String(id)) && isHere(app, String(id)))
    for (const [{ path }, parameter] of named) {
      this.#named.at(path, () => ({ position: parameterNames(path).indexOf(parameter) }))
    }
  }

  /**
   * Session, recording or reading that a request names, unless it is live at this server. Looks for no file: the caller
   * is unknown (T40).
   */
  strangerIn(request: IncomingMessage): string | undefined {
    const [match] = this.#named.find(pathOf(request))
    const id = match?.segments[match.value.position]?.toLowerCase()
    return id !== undefined && guid.test(id) && !isLive(this.#app, id) ? id : undefined
  }

  /** The server that has what a request names; undefined for this one. */
  async serverOf(id: string): Promise<ClusterServer | undefined> {
    if (await isHere(this.#app, id)) {
      return undefined
    }
    const answers = await this.#cluster.askOthers(holds, id)
    return answers.find(({ answer }) => answer === true)?.server
  }

  isList(request: IncomingMessage): boolean {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
    const hasBody = length !== undefined || encoding !== undefined
    return request.method === list.method && !hasBody && pathOf(request).toLowerCase() === list.path
  }

  /** Answers with the lists of all servers, each as the caller may see it. False if this server rejects the caller. */
  async answerList(request: IncomingMessage, response: Response): Promise<boolean> {
    const answers = await Promise.all(this.#cluster.servers().map((server) => this.#proxy.read(server, request)))
    if (answers[0]?.status !== 200) {
      return false
    }
    const lists = answers.map((answer) =>
      answer?.status === 200 ? (JSON.parse(answer.body) as { items: RemoteSessionDto[] }).items : [],
    )
    const items = lists.flat().toSorted((a, b) => a.startedAt.localeCompare(b.startedAt))
    response.writeHead(200, answers[0].headers)
    response.end(JSON.stringify({ items }))
    return true
  }
}
